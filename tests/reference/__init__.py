"""The pages of the reference that the code tells by itself: `docs/reference/`."""
