"""Ask an LLM which topics reviews are about, and make a short list of them."""
