"""Doors: protocols by which programs of others use the tools of an open page."""
