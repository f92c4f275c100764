"""Report how far a recommender's lists change where only its prompt's form changed."""
