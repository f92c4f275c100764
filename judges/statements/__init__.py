"""Keep the statements of texts: list, correct, add and rate them."""
