"""Show raters their pages, and researchers the same pages as a preview."""
