"""Learning from outcomes which of some choices pay. Nothing here knows of solvers: what is learnt is
plain data, and chance comes from the random stream of the caller.
"""
