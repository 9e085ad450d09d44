"""Live REPLs, one per language, behind one port."""
