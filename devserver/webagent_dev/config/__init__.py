"""The configuration of the server and the commands, and where it comes from."""
