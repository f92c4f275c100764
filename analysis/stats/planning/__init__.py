"""Plan how many items and raters a verdict needs, and say when collecting may stop."""
