"""Grammars, and what an enumeration of their scripts guarantees, as tables and text."""
