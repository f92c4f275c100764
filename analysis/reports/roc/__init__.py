"""Report how well a judge tells good items from the rest, as ROC curves."""
