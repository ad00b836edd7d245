"""Tests of `webagent_site.publish`."""
