"""Say for which use a judge may stand in for people, with the evidence and the next step."""
