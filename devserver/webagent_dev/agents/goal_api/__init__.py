"""The simple task endpoint: a goal in words, and a few params, done in the open page step by step."""
