"""Plan, work through, settle and resume the runs of judges."""
