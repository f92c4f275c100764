"""The page of each report, one file a report; kinds.py lists them."""
