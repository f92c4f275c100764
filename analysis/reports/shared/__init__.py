"""Share between reports: evaluators, scores, labels, intervals."""
