"""What raters like: they pick it in their session, and lists are made from it for them."""
