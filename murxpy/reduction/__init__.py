"""Making what was found smaller, and showing that it still shows the finding."""
