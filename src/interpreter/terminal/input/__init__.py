"""What a person types: the prompt, single keys, answers."""
