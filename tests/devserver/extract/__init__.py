"""Tests of `webagent_dev.extract`."""
