"""Keep uploaded files, show what loading them would do, and load them."""
