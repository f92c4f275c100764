"""Compare any two evaluators on any measure, on the same items and the same draws."""
