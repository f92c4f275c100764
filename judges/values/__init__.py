"""Hold plain values that need no database: settings, titles, differences."""
