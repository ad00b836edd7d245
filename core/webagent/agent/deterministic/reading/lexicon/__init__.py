"""What common words of five languages mean, generated."""
