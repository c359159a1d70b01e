"""Checks of what a solver promises with an answer, as lines of the trace: models, values, cores and
other evidence.
"""
