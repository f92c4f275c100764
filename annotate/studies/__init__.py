"""Let researchers make, edit, copy and delete studies."""
