"""The reference evaluator: what each operator means on values, computed exactly and with the
standard library alone.
"""
