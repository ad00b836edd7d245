"""The open pages of visitors."""
