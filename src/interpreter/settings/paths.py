"""Where things are kept: settings in the config directory, sessions in the data directory.

A home may be a link of the user's: the paths are without it, as `safe_files` wants them.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

APPLICATION = "reploop"


def config_directory() -> Path:
    """Settings and profiles."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False)).resolve()


def data_directory() -> Path:
    """Sessions and their pictures."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False)).resolve()


def profile_directory() -> Path:
    """Profiles by name."""
    return config_directory() / "profiles"
