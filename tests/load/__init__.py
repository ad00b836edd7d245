"""Thousands of open pages, several processes of a site, and what happens when one of them ends."""
