"""Show raters their pages, with pictures and histories, and researchers the same as a preview."""
