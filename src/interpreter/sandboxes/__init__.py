"""Ways of confining what runs, behind one port."""
