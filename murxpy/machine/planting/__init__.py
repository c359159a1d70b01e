"""Planted models: an interpretation that is drawn before anything is asserted, and makes all that
is asserted true.
"""
