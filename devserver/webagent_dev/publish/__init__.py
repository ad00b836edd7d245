"""Makes a site ready to go live: its files, the bundle, and the headers of its server."""
