"""Get one verdict: does it fit, which list is better, is it supported, how similar is it."""
