"""Who looks at a change before it happens, and may refuse it."""
