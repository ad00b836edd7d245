"""The open pages of a site: what they offer, and calls to them from outside."""
