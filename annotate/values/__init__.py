"""Hold plain values that need no database: scales, languages, texts, formulas."""
