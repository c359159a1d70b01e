"""The models and cores that solvers give as evidence for an answer, read and judged by our own
evaluator.
"""
