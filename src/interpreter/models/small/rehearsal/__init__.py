"""Orders are tried on copies of the files before one program changes anything."""
