"""Plain values that the parts of a campaign hand to each other."""
