"""List, for files, what other reports say of each judge and question."""
