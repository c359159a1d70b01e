"""Passes, which make traces and scripts smaller. They give candidates, and know no solver."""
