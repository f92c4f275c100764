"""Measure how carefully raters work, and exclude them by rules or by hand."""
