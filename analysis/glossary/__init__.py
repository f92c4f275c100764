"""Explain each term of the researchers' pages once, at an address that the pages link."""
