"""Whether what small models wrote does what was asked, and what came of it can be right."""
