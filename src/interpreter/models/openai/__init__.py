"""OpenAI's chat completions, and everybody who speaks them."""
