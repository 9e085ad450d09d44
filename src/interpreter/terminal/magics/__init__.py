"""Commands at the prompt, after `%`."""
