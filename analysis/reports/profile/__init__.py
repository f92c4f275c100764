"""Report what a longer history gains a judge, and whether people find profiles right."""
