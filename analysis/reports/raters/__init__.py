"""Report how far raters agree, what they differ by, and who stands apart: one object a report."""
