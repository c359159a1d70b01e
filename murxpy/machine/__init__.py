"""The state machine, its actions, the database of sorts and terms, and the random streams that
drive them.
"""
