"""Report whether scores of explanations say what people say of them."""
