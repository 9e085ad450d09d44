"""Finding things on the screen by what they are called or look like."""
