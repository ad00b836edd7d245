"""Tests of `webagent_site.http`."""
