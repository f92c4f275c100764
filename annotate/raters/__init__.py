"""Show raters their pages, with pictures and histories, and let researchers preview them."""
