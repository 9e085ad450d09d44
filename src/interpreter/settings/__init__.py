"""Settings from defaults, files, profiles, environment and flags, and where things are kept."""
