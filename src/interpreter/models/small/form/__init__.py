"""The form that an answer has to have, and answers written in it."""
