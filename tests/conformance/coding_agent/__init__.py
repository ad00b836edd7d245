"""Ten tasks of a coding agent, done through MCP with Playwright's server, and with ours."""
