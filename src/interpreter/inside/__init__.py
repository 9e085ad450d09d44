"""What runs inside the cell, in the user's own Python, Node or shell; the host never imports it."""
