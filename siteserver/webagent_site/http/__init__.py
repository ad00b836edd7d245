"""Requests and responses: the guard, files, the bundle, and tags in HTML."""
