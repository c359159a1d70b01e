"""Worker processes: started, fed, put under limits, and buried."""
