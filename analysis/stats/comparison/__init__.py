"""Compare means and coefficients of two groups or two judges."""
