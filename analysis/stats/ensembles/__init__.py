"""Combine several judges' values into one."""
