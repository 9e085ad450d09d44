"""What follows `interpreter` on the command line."""
