"""What operators mean on values: the reference evaluator, exact, in the standard library's Python
alone.
"""
