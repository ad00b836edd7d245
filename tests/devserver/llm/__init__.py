"""Tests of `webagent_dev.llm`."""
