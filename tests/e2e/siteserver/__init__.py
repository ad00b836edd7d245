"""Applications of a site in a real browser."""
