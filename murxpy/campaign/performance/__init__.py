"""The search for scripts on which a solver is slow: BanditFuzz, with costs in units of the solvers."""
