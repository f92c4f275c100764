"""What a study asks around its items, whom it lets in, and in which of its arms a session is."""
