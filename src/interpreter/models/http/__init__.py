"""What adapters over HTTP share: a connection, server-sent events, retries, errors in our words."""
