"""OpenAI's protocol: chat completions and responses, answered by a session."""
