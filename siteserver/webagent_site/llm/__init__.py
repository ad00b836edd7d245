"""The model for pages: requests are checked, metered and forwarded, and the key stays here."""
