"""Make the lists of raters who bring their own taste, from what they picked in their session."""
