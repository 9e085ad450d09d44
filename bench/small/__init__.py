"""How well a small model does with our help, beside a single shot of the same model."""
