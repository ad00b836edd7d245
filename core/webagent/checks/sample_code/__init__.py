"""Checks of the JavaScript in samples: its syntax, and the calls in it."""
