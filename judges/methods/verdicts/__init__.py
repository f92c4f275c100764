"""Ask a judge for one verdict: does it fit, which list is better, is it supported."""
