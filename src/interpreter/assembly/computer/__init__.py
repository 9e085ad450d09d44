"""What code finds as `computer` and `web`: functions of the host, wired to a session."""
