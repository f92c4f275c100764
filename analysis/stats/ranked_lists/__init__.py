"""Compare ranked lists, and answers before and after a change."""
