"""The reverse proxy to another development server, which injects the agent into its pages."""
