"""Report of each rater how much, how fast and how they answered."""
