"""One file for each language: a REPL that stays, driven by the host."""
