"""In front of another development server: what it answers reaches the page, with the agent in it."""
