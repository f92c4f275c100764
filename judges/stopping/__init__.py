"""Fix before collecting which judges a study's stopping rule decides on, and show the plan."""
