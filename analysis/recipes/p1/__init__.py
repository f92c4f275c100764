"""Repeat P1, on the factual consistency of explanations, with a study's own explanations."""
