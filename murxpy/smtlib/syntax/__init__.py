"""The characters, tokens and symbols of SMT-LIB."""
