"""Compute intervals: by the bootstrap, the jackknife, or in closed form."""
