"""Report how far raters agree, and who stands apart: one object for each of four reports."""
