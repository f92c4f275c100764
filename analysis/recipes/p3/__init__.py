"""Repeat P3, on judges of podcast recommendations, with a study's own listeners."""
