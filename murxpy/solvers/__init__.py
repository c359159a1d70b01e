"""The generic solver API: wrappers whose calls are spelled in YAML."""
