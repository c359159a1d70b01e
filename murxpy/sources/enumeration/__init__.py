"""Enumeration of all small scripts of a grammar: exact counts, and any script by its index."""
