"""The template library `webagent`."""
