"""The planner that needs no model: plain rules about words, values, tools and results."""
