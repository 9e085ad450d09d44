"""Flags that do one small thing and exit, and flags whose thing is gone."""

from __future__ import annotations

import sys
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import data_directory, profile_directory
from interpreter.settings.profiles import SUFFIXES, shipped

GONE = {
    "disable_telemetry": "There is no telemetry in this program: --disable_telemetry does nothing.",
    "contribute_conversation": "Conversations are never sent anywhere: "
    "--contribute_conversation does nothing.",
}
SCREEN = (
    "OS mode: the model sees your screen, and asks before it uses mouse or keyboard. "
    "Move the mouse, or press Ctrl-C here, to stop it."
)
PRESETS = ("fast", "vision", "codestral", "llama3", "groq", "assistant")


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


def presets(options: dict[str, Any]) -> dict[str, Any]:
    """What flags such as --fast, --local and --vision stand for; your own profile of that name
    comes first."""
    values: dict[str, Any] = {}
    if options.get("os"):
        from interpreter.assembly.computer.desktop import why_no_desktop  # noqa: PLC0415  (opens a display)

        values["os"] = True
        print(why_no_desktop() or SCREEN, file=sys.stderr)
    for name in PRESETS:
        if options.get(name) and not _has_profile(name):
            values |= shipped(name)
    if options.get("local") and not options.get("model") and not _has_profile("local"):
        from interpreter.terminal.subcommands.local_models import choose_local  # noqa: PLC0415  (asks servers)

        values |= choose_local()
    return values


def profile(options: dict[str, Any]) -> str:
    """The profile by name, or the one that is called like a flag that was given."""
    if options.get("profile"):
        return str(options["profile"])
    named = [name for name in (*PRESETS, "local") if options.get(name) and _has_profile(name)]
    return named[0] if named else ""


def _has_profile(name: str) -> bool:
    return any((profile_directory() / f"{name}{suffix}").exists() for suffix in SUFFIXES)


def _reset_profile(name: str) -> int:
    path = profile_directory() / f"{name.removesuffix('.yaml')}.yaml"
    if not path.exists():
        raise ConfigurationError(f"The profile {path} does not exist: there is nothing to reset.")
    kept = path.with_suffix(".yaml.old")
    path.replace(kept)
    print(f"{path} is reset; what it said is in {kept}")
    return 0
