"""Hold plain values that need no database: dialects of endpoints, titles, differences."""
