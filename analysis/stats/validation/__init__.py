"""Decide whether a judge may stand in for a rater, and whether it may compare systems."""
