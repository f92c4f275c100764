"""Report how many of the items that a judge puts first people find good."""
