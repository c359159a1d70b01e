"""Which seed files and which arms the runs of a campaign get."""
