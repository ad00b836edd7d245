"""Pages as they go live: the bundle under an address of its own, tags, and a policy."""
