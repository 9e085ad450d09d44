"""Files as a transaction: the journal, its supervisor, and the filter that reports to it."""
