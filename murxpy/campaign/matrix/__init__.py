"""A solver followed over its releases with every small script: what is asked, and what was answered."""
