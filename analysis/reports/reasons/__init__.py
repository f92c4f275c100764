"""Report what raters wrote as counts of texts and codes, and how far coders agree."""
