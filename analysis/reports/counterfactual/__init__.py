"""Report whether counterfactual scores of explanations agree with people's ratings."""
