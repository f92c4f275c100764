"""Serve reports as pages, files and API answers: computed, kept and waited for."""
