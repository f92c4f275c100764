"""Read the files of a study, and load their rows into the database."""
