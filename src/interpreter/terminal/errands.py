"""Flags that do one small thing and exit, and flags whose thing is gone."""

from __future__ import annotations

import sys
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import data_directory, profile_directory

GONE = {
    "disable_telemetry": "There is no telemetry in this program: --disable_telemetry does nothing.",
    "contribute_conversation": "Conversations are never sent anywhere: "
    "--contribute_conversation does nothing.",
}
PROFILE_FLAGS = ("codestral", "llama3", "groq", "assistant", "local", "fast")


def run(options: dict[str, Any]) -> int | None:
    """Do the errand that was asked for; its exit code, or None when there is a chat to start."""
    for name, sentence in GONE.items():
        if options.pop(name, False):
            print(sentence, file=sys.stderr)
    if options.get("profiles"):
        print(profile_directory())
        return 0
    if options.get("local_models"):
        print(data_directory() / "models")
        return 0
    if "reset_profile" in options:
        return _reset_profile(options["reset_profile"])
    return None


def profile(options: dict[str, Any]) -> str:
    """The profile by name; --fast, --local, --vision, --os and the like each name one."""
    if options.get("profile"):
        return str(options["profile"])
    base = next((name for name in PROFILE_FLAGS if options.get(name)), "")
    extra = "os" if options.get("os") else "vision" if options.get("vision") else ""
    return "-".join(filter(None, (base, extra)))


def _reset_profile(name: str) -> int:
    path = profile_directory() / f"{name.removesuffix('.yaml')}.yaml"
    if not path.exists():
        raise ConfigurationError(f"The profile {path} does not exist: there is nothing to reset.")
    kept = path.with_suffix(".yaml.old")
    path.replace(kept)
    print(f"{path} is reset; what it said is in {kept}")
    return 0
