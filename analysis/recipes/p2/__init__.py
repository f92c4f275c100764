"""Repeat P2, on a recommender under prompts that should change nothing, with a study's ratings."""
