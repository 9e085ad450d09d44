"""What a block will do and has done to files, in words."""
