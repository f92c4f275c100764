"""Report the cost of an item with each judge and with people, and the accuracy it buys."""
