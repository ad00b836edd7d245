"""The actions of an agent on a page, each with its definition."""
