"""Languages that live in processes of ours: shells, Node, and others by small drivers."""
