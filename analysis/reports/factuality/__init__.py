"""Report whether explanations are supported by what recipients wrote."""
