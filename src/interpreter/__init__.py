"""Run code with a language model on your own machine."""
