"""Matches what a goal says with the tools that could do it."""
