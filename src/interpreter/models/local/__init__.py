"""Model servers on this machine."""
