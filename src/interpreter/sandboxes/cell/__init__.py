"""One confined cell: how it is built, entered, tried and ended."""
