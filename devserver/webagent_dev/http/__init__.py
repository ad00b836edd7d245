"""Access to the server, and pages about what is missing."""
