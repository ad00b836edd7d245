"""Tests of `webagent_dev.golive`."""
