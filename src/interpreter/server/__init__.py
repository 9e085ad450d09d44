"""The face on a socket; it fills when the server is built."""
