"""Who comes in: tokens, cookies, and the gate in front of everything."""
