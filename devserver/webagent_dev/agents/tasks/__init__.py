"""Tasks of clients: kept over restarts, and published to all who follow them."""
