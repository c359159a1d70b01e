"""Variants of a script that mean the same: other names, another order, other random seeds."""
