"""Our values as JSON, JSON of others read within limits, and JSON-RPC."""
