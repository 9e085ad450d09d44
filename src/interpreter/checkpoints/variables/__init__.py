"""The state of languages as a transaction: Python's variables, shells, Node."""
