"""Repeat P4, on counterfactual scores of explanations, with a study's own participants."""
