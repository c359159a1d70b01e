"""What studies of many scripts found, as tables, plain data and drawings."""
