"""Report whether a judge is as close to people as one more rater would be."""
