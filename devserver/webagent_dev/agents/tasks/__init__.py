"""Tasks of clients: kept over restarts, told to everyone who follows them."""
