"""Findings: from the end of a run to a bucket in the store."""
