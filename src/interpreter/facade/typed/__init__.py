"""`Interpreter` and `AsyncInterpreter`: typed, everything that happens is an event."""
