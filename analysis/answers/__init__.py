"""Read a study's answers from the database into arrays, as of one moment."""
