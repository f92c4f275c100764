"""Score explanations by what a model recommends without the contents they name."""
