"""The face on a socket: HTTP, WebSocket and server-sent events around live sessions."""
