"""Let coders sort what raters wrote into codes, and compare two coders."""
