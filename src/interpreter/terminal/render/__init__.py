"""What a person sees: prose, code, tables, pictures, as lines of a terminal."""
