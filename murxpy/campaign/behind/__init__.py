"""What is done with findings beside the runs of a campaign: reduction, programs, bisection."""
