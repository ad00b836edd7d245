"""A2A: other agents send tasks to the agent of the open page."""
