"""Benchmarks, each against its peer in the same run, as a ratio."""
