"""Report the items where judges and people, or people among themselves, are furthest apart."""
