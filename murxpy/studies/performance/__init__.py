"""The search for scripts on which a solver is slow."""
