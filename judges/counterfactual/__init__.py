"""Score explanations: remove the contents that they name from the history, recommend again."""
