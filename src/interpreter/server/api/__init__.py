"""The server's own protocol: requests, numbered events, and the document about both."""
