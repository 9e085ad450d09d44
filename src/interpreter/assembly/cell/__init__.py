"""What the code of a session runs in: the cell, its life, its guards, and what is kept of it."""
