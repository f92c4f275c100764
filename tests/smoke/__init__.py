"""The installed product, started as its users start it, with every route, form and file opened."""
