"""Findings on their way from a run to the list of defects, and their store."""
