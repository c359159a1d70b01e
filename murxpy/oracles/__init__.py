"""Judges of an execution: values in, verdict out."""
