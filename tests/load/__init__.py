"""Thousands of open pages, and several processes of a site, of which one ends now and then."""
