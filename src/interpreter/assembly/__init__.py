"""The only package that knows every concrete class: settings become a session."""

from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.assembly.session_factory import SessionFactory

__all__ = ["FaceCallbacks", "SessionFactory"]
