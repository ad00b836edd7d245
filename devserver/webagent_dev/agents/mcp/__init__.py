"""MCP: the tools of the open page for programs such as Claude Code, VS Code and Cursor."""
