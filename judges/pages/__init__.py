"""Show researchers their judges, prompts and runs, and serve them over the HTTP API."""
