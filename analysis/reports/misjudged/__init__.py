"""Report which items a judge finds good that people do not, and the other way round."""
