"""Traces: how they are written down, read, and made from scripts."""
