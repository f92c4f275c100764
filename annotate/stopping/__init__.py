"""Fix before collecting how looks may end it: the order of clusters, and the exclusion rules."""
