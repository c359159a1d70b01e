"""Traces carried out again: as they are, or as the questions of a judge."""
