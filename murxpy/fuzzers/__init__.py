"""What users ask of the sources of runs, and the setup of a session that follows from it."""
