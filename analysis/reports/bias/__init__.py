"""Report where a judge errs in one direction, contradicts itself, or moves with its prompt."""
