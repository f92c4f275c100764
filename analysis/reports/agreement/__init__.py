"""Report how far people agree with one another and with each judge."""
