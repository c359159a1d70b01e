"""Who is right where solvers disagree, and which releases show a defect."""
