"""`interpreter.llm` and what hangs on it."""
