"""A first draft of a manifest, read from the pages of a site in a browser."""
