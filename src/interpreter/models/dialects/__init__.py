"""How a model says "run this": tool calls, fenced blocks, and what small models write instead."""
