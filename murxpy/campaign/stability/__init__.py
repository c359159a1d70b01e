"""How stable the answers to scripts are: variants that mean the same, asked of targets."""
