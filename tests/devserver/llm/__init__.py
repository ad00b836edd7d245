"""Tests of the model gateway in the development server."""
