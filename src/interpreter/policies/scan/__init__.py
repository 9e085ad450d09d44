"""What code would do, told by its text."""
