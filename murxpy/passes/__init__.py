"""Ways to make a trace smaller: each gives candidates, and knows neither solver nor test."""
