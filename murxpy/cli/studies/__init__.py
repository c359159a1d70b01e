"""Commands that ask solvers many scripts and summarise the answers."""
