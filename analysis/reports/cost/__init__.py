"""Report what an item costs with each judge and with people, and what that buys."""
