"""The protocol endpoints, by which programs of others use the tools of an open page."""
