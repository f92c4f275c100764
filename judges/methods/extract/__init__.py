"""Ask an LLM which statements a text makes about which topic."""
