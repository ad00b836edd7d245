"""The contract test: each tool of a site is called, and its answers are held against the manifest."""
