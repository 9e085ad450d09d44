"""The version, alone, so that asking for it costs nothing."""

__version__ = "0.1.0"
