"""Files of code that a small model writes as a whole, and that have to pass their tests."""
