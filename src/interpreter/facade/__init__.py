"""The public objects: what `from interpreter import …` gives to programs."""
