"""The official suite of MCP, run against tools of a page."""
