"""Checks of what a solver promises, as lines of the trace: models, values, cores and other
witnesses.
"""
