"""Where things are kept: settings in the config directory, sessions in the data directory."""

from __future__ import annotations

from pathlib import Path

import platformdirs

APPLICATION = "reploop"


def config_directory() -> Path:
    """Settings and profiles."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))


def data_directory() -> Path:
    """Sessions and their pictures."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def profile_directory() -> Path:
    """Profiles by name."""
    return config_directory() / "profiles"
