"""A newer release against an older one: what broke, and what the older one decides."""
