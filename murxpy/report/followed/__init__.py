"""A solver followed over its releases: tables, JSON, CSV and drawings."""
