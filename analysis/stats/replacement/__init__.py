"""Tell what a judge is worth beside raters: as one of them, in choices, with a few labels."""
