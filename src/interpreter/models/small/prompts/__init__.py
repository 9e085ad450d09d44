"""What small models are told: examples, hints after errors, reminders, the words of requests."""
