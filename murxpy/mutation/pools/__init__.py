"""Pools of formulas whose truth in one interpretation is known: the parts of a seed, and what is built of them."""
