"""Chooses the seed files and the arms that the runs of a campaign get."""
