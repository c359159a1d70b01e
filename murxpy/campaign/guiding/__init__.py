"""Guidance: what the runs of a campaign are made of, learnt from what earlier runs gained."""
