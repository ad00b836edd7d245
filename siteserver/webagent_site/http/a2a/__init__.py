"""A2A: the requests of other agents, and the answers to them, whoever works on them."""
