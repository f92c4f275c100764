"""Report the items where judges and people, or people, are furthest apart, and what they wrote."""
