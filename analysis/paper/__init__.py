"""Build the paper of a study: chosen sections with tables, a figure, methods and references."""
