"""Worker processes: how they are started, fed, limited and buried."""
