"""Stand-alone programs that show a finding, in the calls that a person would write."""
