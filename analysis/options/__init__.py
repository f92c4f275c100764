"""Define the options that a report may take, and check the options asked for."""
