"""Log researchers in by one-time links, and give out tokens of the HTTP API."""
