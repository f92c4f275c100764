"""Measure how far raters agree beyond chance."""
