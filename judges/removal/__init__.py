"""Archive judges, and delete those on which nothing rests, with a log and an undo."""
