"""Ways of confining: bubblewrap, Landlock, Seatbelt, none."""
