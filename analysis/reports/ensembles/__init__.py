"""Report how closely the mean of every subset of judges follows the reference."""
