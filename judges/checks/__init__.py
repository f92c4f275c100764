"""Ask a judge again, to see whether it drifts and whether changed prompts change its answers."""
