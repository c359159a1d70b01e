"""Passes, which make traces and scripts smaller. The passes give candidates, and know no solver."""
