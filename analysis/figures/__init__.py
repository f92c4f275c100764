"""Draw the figures and tables that reports share."""
