"""Targets, worker processes, and the service that replays traces in them."""
