"""Say which options a report may take, and check what was asked."""
