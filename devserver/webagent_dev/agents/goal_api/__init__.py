"""The goal API: a task is a goal in words with a few params, done in the open page step by step."""
