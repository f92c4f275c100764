"""Measure how well values tell items of two or more classes apart."""
