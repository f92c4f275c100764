"""Report means from a few human labels and a judge's many scores."""
