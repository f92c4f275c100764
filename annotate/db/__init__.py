"""Write many rows at once, run plain SQL, and answer while the database is busy."""
