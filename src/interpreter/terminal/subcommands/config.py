"""`interpreter config`: settings, who said so, and keys."""

from __future__ import annotations

import getpass
import sys

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.keys import forget_key, keep_key
from interpreter.settings.sources import (
    NAMES,
    SECRET,
    Sourced,
    gather,
    parse,
    settings_file,
    write_setting,
)
from interpreter.terminal.input.editor import edit_file

USAGE = """\
usage: interpreter config                      all settings, and where each comes from
       interpreter config get NAME
       interpreter config set NAME VALUE
       interpreter config unset NAME
       interpreter config edit                 the file in your editor
       interpreter config path
       interpreter config key PROVIDER         keep an API key (asked for, or from a pipe)
       interpreter config key PROVIDER --forget"""
VALUE_SHOWN = 60
NO_LIMIT = ("max_budget", "max_turn_", "max_session_", "timeout")
AUTOMATIC = (
    *("model", "api_base", "api_version", "context_window", "max_tokens", "temperature", "dialect"),
    *("reasoning_effort", "approval", "rules", "supports_", "max_memory", "max_programs", "python"),
    *("max_output", "loop_", "system_message", "execution_instructions"),
)
"""What an empty value of settings means, by how their names begin."""


def config_command(arguments: list[str]) -> int:
    """Do one thing with the settings."""
    match arguments:
        case [] | ["show"]:
            _show(gather({}))
        case ["get", name]:
            print(_value(gather({}), _known(name)) or _left_out(name))
        case ["set", name, value]:
            if name in SECRET:
                raise ConfigurationError("A key does not belong there: interpreter config key NAME")
            path = write_setting(name, parse(_known(name), value))
            print(f"{name} is kept in {path}")
        case ["unset", name]:
            print(f"{_known(name)} is no longer in {write_setting(name, None)}")
        case _:
            _other(arguments)
    return 0


def _other(arguments: list[str]) -> None:
    match arguments:
        case ["edit"]:
            _edit()
        case ["path"]:
            print(settings_file())
        case ["key", *rest]:
            _key(rest)
        case ["-h" | "--help"]:
            print(USAGE)
        case _:
            raise ConfigurationError(f"`config {' '.join(arguments)}`? See interpreter config -h.")


def _known(name: str) -> str:
    if name not in NAMES:
        raise ConfigurationError(f"There is no setting {name!r}; `interpreter config` lists them.")
    return name


def _show(sourced: Sourced) -> None:
    widest = max(map(len, NAMES))
    for name in NAMES:
        value = _value(sourced, name) or _left_out(name)
        shown = value if len(value) <= VALUE_SHOWN else value[: VALUE_SHOWN - 1] + "…"
        print(f"{name:{widest}}  {shown:30}  {sourced.sources[name]}")


def _value(sourced: Sourced, name: str) -> str:
    value = getattr(sourced.settings, name)
    if name in SECRET and value:
        return "(kept secret)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    is_left_out = value is None or (value == 0 and _left_out(name) != "-")
    return "" if is_left_out else " ".join(str(value).split())


def _left_out(name: str) -> str:
    """What it means that a setting has no value."""
    words = {"workspace": "the current directory", "languages": "all"}
    if name.startswith(NO_LIMIT):
        return "no limit"
    return words.get(name, "automatic" if name.startswith(AUTOMATIC) else "-")


def _edit() -> None:
    path = settings_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch()
    edit_file(path)
    gather({})
    print(f"{path} is in order")


def _key(arguments: list[str]) -> None:
    match arguments:
        case [provider]:
            key = getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()
            if not key.strip():
                raise ConfigurationError("No key was given; nothing is kept.")
            print(f"The key of {provider} is kept in {keep_key(provider, key.strip())}")
        case [provider, "--forget"]:
            print("forgotten" if forget_key(provider) else "there was none")
        case _:
            raise ConfigurationError("usage: interpreter config key PROVIDER [--forget]")
