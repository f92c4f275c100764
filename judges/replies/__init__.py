"""Read scores, verdicts and log-probabilities out of a judge's reply."""
