"""Hooks: commands that are told what a session does, and may say no."""
