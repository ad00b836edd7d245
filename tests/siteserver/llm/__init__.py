"""Tests of `webagent_site.llm`."""
