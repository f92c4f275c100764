"""Tell operators whether all parts of the installation work."""
