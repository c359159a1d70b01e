"""The parts of DIVER: models of a seed, places with their ranges, and what is put there."""
