"""Open pages: the WebSocket to each, the calls that are relayed to them, and their reports."""
