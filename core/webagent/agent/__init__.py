"""The agent: what it plans, decides and does on a page, step by step."""
