"""States that can be gone back to, behind one port."""
