"""The official packages of model providers as oracles: for what we send, and for what we read."""
