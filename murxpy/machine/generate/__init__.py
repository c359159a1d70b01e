"""Choosing at random what a run does: sorts, leaves, operators, arguments, what is asserted."""
