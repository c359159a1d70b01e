"""Campaigns: supervisor, workers, findings, buckets, store; everything outside sees is an event."""
