"""Sources of tests: each says what a session needs to make them."""
