"""Report how well judges tell good items from the rest: one object for each of six reports."""
