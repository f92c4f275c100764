"""Fit values to values: a line, a monotone map, a prediction on unseen items."""
