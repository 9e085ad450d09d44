"""What a cell may use of the machine."""
