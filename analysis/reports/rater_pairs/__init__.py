"""Report how far each two raters agree, and which raters stand apart from the rest."""
