"""What git reads and writes, as far as walls and undo must know it."""
