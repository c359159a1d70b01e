"""Reduction: smaller traces, scripts and histories, and programs, that show a finding."""
