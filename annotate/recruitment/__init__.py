"""Find raters by links and platforms, pay them, and ask more of them for an item."""
