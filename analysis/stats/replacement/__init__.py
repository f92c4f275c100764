"""Measure what a judge is worth compared with raters: as a rater, in choices, with few labels."""
