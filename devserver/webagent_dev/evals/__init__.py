"""Evaluations: goals in words, and the calls of tools that they should lead to."""
