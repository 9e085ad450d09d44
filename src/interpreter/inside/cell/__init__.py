"""The first programs of a cell, and those that stand before others."""
