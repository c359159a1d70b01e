"""Comparing: a newer release of a solver replays what an older one did, and what broke is made small
and shown on both.
"""
