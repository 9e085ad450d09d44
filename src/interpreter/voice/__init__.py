"""Listening and speaking: ears that turn sound into words, mouths that turn words into sound."""
