"""What makes small models succeed."""
