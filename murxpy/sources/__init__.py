"""Sources of runs. A session draws its next run from a source."""
