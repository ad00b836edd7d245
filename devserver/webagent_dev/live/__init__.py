"""Open pages: the socket to each, the calls relayed into them, and what they report."""
