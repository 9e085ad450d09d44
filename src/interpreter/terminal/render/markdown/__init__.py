"""What a model writes, as lines: prose, code in colour, formulas, tables."""
