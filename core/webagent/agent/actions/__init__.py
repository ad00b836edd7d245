"""What an agent can do on a page, each thing with its definition."""
