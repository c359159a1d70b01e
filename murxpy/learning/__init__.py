"""Learning from outcomes which of some choices pay. This package knows nothing about solvers: the
choices that it learns about are plain data, and chance comes from the random stream of the caller.
"""
