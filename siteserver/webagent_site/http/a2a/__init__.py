"""A2A: the requests of other agents, and the answers to them, for every server that works on them."""
