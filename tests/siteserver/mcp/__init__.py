"""Tests of the MCP server for pages."""
