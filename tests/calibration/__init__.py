"""Measure the errors of verdict, intervals, stopping rule and planner where the truth is set."""
