"""The built-in model: its catalogue, its files, and llama.cpp in a process beside us."""
