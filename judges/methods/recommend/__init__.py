"""Ask an LLM under test for recommendations, and match its list with the catalogue."""
