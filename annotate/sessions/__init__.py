"""Run a rater's session: which items they get, what they save, and how it ends."""
