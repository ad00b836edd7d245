"""The pages of the reference that are generated from the code: `docs/reference/`."""
