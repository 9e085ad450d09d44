"""The only package that knows every concrete class: settings become a session."""

from interpreter.assembly.workshop import Workshop

__all__ = ["Workshop"]
