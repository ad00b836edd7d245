"""Tests of `webagent_site`."""
