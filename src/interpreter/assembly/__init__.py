"""The only package that knows every concrete class: settings become a session."""

from interpreter.assembly.model_choice import Wishes
from interpreter.assembly.workshop import Workshop

__all__ = ["Wishes", "Workshop"]
