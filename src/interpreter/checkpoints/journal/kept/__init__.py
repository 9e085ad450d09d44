"""The blocks of a session on disk: what was kept, what changed, and the way back."""
