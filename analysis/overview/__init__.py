"""Show how far a study is, what needs attention, and its report in short."""
