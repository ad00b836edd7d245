"""Tests of `webagent_dev.production`."""
