"""The ways to a server: a program, or an address."""
