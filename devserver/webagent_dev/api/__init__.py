"""What answers at each URL."""
