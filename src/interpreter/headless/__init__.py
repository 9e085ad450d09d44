"""Faces for programs: no terminal, no page."""
