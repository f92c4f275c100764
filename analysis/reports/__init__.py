"""The reports: frame -> statistics -> rows and notes, one file a report; kinds.py lists them."""
