"""AG-UI: other front ends drive the agent in the page that a visitor has open."""
