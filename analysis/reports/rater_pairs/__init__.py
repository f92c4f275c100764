"""Report how far each two raters agree, and who stands apart from the rest."""
