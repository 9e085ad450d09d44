"""Open Interpreter's API, on our engine."""
