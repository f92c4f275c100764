"""Repeat P0, on LLMs as evaluators of explanations, with a study's own recipients."""
