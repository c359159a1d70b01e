"""Parts of commands that several commands use, or that are long enough to stand alone."""
