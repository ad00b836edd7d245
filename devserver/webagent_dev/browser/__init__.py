"""Browsers that the server or a command starts: Chromium, and the pages in it."""
