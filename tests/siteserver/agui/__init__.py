"""AG-UI: front ends that drive the agent in a visitor's page."""
