"""Screen, pointer, keyboard and windows; it fills when OS mode is built."""
