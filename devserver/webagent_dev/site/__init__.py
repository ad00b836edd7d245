"""The site on disk: its files, its manifest, and the findings about it."""
