"""Programs about files of the workspace."""
