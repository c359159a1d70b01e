"""Kinds of findings: what murxpy does with each, from the first line about it to its program."""
