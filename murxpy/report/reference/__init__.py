"""Tables of what murxpy knows: the rules of implication."""
