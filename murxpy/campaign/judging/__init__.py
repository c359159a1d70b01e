"""Other solvers as judges: who is right where answers differ."""
