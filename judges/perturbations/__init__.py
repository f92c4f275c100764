"""Change a prompt in ways that should not change the answer."""
