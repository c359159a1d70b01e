"""Replays of traces, one or many, alone or in warm workers."""
