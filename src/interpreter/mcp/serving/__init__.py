"""We as the server."""
