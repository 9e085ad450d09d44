"""`computer.*`: the desktop for code, under the names that programs made for others use."""
