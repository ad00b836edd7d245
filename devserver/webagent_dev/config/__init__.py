"""What the server and the commands work with: the configuration, and where it comes from."""
