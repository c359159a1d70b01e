"""What solvers give as proof of an answer: models and cores, read and judged by our
evaluator.
"""
