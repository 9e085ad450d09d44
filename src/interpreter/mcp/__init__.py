"""The Model Context Protocol: tools, resources and prompts of other programs, and ours for them."""
