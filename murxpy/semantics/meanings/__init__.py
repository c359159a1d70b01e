"""What each operator means, one module for a theory."""
