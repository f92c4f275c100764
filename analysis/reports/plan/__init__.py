"""Plan how many items and ratings decide, from the ratings and judgments that a study has."""
