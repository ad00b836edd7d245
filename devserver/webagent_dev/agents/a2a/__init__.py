"""A2A: other agents give tasks to the agent of the open page."""
