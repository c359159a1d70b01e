"""Which releases show a defect: bisection over releases, and collections of kept findings."""
