"""DIVER: places of a formula, the ranges that keep it true, and models of seeds."""
