"""Say at a look whether the stopping rule would end collecting, and what more it would take."""
