"""What a model can do; running code is the first."""
