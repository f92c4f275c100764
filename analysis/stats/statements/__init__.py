"""Measure how far the statements of a text are supported by another text."""
