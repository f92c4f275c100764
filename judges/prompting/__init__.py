"""Fill prompts with an item, examples and a recipient's history."""
