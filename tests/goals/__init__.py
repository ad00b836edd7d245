"""Goals by which the agent without a model is measured: `python -m tests.goals`."""
