"""The only way out of a cell."""
