"""What a user says, with the profile of a file behind it, as a small model's turn has both."""

from interpreter.models.small.rounds import BETWEEN
from interpreter.protocol.messages import Message, Text


def with_profile(text):
    """A message of the user; what stands behind the first blank line is the profile."""
    words, blank, known = text.partition("\n\n")
    return Message("user", (Text(words), *((BETWEEN, Text(known)) if blank else ())))
