"""Logging in to a server."""
