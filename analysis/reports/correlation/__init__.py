"""Report how closely evaluators follow the reference, at four levels."""
