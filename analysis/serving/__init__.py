"""Serve reports as pages, files and API answers: compute them, keep them and wait for them."""
