"""Compare judges with single raters, and correct their scores by a few human labels."""
