"""Report what each exclusion rule would change in the headlines."""
