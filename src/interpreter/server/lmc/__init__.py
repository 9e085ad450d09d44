"""Open Interpreter's protocol: chunks in, chunks out."""
