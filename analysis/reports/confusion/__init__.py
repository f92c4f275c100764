"""Report which label people gave, and which the judge, as matrices."""
