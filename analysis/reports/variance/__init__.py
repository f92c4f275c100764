"""Report what people's ratings differ by, and what the mean of K raters is worth."""
