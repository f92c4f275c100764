"""Report what an example in the prompt changes, for judges alike in everything else."""
