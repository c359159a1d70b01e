"""The user's requests for the sources of runs, and the setup of a session that follows from them."""
