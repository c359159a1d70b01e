"""Traces that are carried out again: by a replay, or by a judge that answers their checks."""
