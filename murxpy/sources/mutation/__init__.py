"""Mutation of SMT-LIB scripts: the published input-level fuzzers, as sources of runs."""
