"""Report the main findings about each judge on one page."""
