"""What the model is sent: the system text, what fits its window, in which form."""
