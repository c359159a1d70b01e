"""Commands that ask solvers many scripts and sum up what they say."""
