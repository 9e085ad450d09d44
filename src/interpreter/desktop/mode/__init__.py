"""OS mode: a model that sees the screen and uses mouse and keyboard."""
