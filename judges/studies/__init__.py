"""List a user's studies, and delete one with its runs and all its rows."""
