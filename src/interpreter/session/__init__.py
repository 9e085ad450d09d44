"""A conversation as it is lived and kept: the turn, the transcript, the store."""
