"""Compute and show each report: a folder a report, listed in registry.py."""
