"""Contract mode: calls that a binding must refuse cleanly, and stress on its objects."""
