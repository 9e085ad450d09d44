"""What runs inside the cell, in the user's own Python, Node or shell; never imported by the host."""
