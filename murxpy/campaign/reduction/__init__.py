"""Reduction: smaller traces and scripts that show the same, and the programs that show them."""
