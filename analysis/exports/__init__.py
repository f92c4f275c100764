"""Write answers, people, statements and lists as CSV files with a codebook."""
