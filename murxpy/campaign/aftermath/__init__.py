"""What becomes of findings beside the runs of a campaign: reduction, programs and bisection."""
