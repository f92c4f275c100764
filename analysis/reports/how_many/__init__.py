"""Say how many more ratings decide about a judge: before a study, from its own, and at a look."""
