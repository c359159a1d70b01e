"""The meanings of all operators, with a module for each theory."""
