"""Report where a judge errs in one direction, or contradicts itself."""
