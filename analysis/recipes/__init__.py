"""Put what a study measures beside the numbers that a paper prints."""
