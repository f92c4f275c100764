"""Call the endpoints of LLMs within their limits, and test what they can do."""
