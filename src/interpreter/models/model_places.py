"""Where model files are kept on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from interpreter.models.downloads import Places
from interpreter.models.downloads_found import usual_homes
from interpreter.models.options import ModelOptions
from interpreter.settings.paths import data_directory


def places(options: ModelOptions) -> Places:
    """Where model files are kept on this machine; offline, nothing is fetched."""
    homes = usual_homes(Path.home(), dict(options.environ))
    kept = Places(data_directory() / "models", homes)
    return replace(kept, sources=()) if options.offline else kept
