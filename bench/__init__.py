"""Benchmarks: each prints a table, with ratios to a baseline taken in the same run."""
