"""Ask an LLM to write a recipient's profile from what they listened to."""
