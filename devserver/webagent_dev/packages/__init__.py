"""Packages of a site's own in the page bundle: found, compiled, and written into a bundle."""
