"""MCP: the tools of open pages as clients list them, and the results of calls."""
