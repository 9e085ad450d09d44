"""Sessions on disk: one database, and the large things beside it."""
