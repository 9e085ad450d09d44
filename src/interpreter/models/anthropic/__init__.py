"""Claude, by Anthropic's own messages API."""
