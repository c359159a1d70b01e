"""Sources of runs: what a session draws its next run from."""
