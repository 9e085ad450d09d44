"""Profiles: settings in a YAML, JSON or Python file, by name, path or address."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError, why_unreadable
from interpreter.protocol.values import frozen
from interpreter.settings.own import ProfileParts
from interpreter.settings.paths import profile_directory
from interpreter.settings.profile_scripts import run_script
from interpreter.settings.settings import Settings, changed, is_setting, key_lines, near_setting

DEFAULT = "default"
SUFFIXES = (".yaml", ".yml", ".json", ".py")
LARGEST = 1_000_000  # bytes of a profile that is fetched
FETCH_SECONDS = 20
RENAMED = {"conversation_history": "keep_history", "plain_text_display": "plain"}
GROUPS = ("llm", "computer")
SHIPPED: dict[str, dict[str, Any]] = {  # by the names that Open Interpreter ships
    "default": {},
    "fast": {"custom_instructions": "Be fast: few words, one block where one is enough."},
    "vision": {"llm": {"supports_vision": True}},
    "codestral": {"llm": {"model": "ollama/codestral"}},
    "llama3": {"llm": {"model": "ollama/llama3"}},
    "groq": {"llm": {"model": "groq/llama-3.3-70b-versatile"}},
    "assistant": {"custom_instructions": "You help with everyday things; explain what you do."},
    "local": {"offline": True},
    "os": {"os": True},
}
OF_THE_COMPUTER = frozenset((
    *("offline", "verbose", "debug", "emit_images", "save_skills", "import_computer_api"),
    *("max_output", "system_message", "api_base"),
))
"""What `computer` has that is not the setting of the same name, and means nothing to a session."""
IGNORED = {  # known to Open Interpreter's profiles, and without a meaning for a session here
    *("version", "wtf", "messages", "disable_telemetry", "in_terminal_interface"),
    *("conversation_filename", "conversation_history_path", "contribute_conversation"),
    *("sync_computer", "import_computer_api", "emit_images", "save_skills", "vision_renderer"),
}
UNASKED = frozenset((
    *("model", "context_window", "max_tokens", "temperature", "reasoning_effort", "dialect"),
    *(
        "model_timeout",
        "drafts",
        "grammar",
        "supports_functions",
        "supports_vision",
        "shrink_images",
    ),
    *("system_message", "custom_instructions", "user_message_template", "code_output_template"),
    *("always_apply_user_message_template", "empty_code_output_template", "code_output_sender"),
    *("execution_instructions", "max_output", "timeout", "dry_run", "offline", "verbose", "debug"),
    *("plain", "highlight_active_line", "multi_line", "edit_mode", "images"),
))
"""Settings that a profile may have where code writes. All others decide what runs, where, who is
asked, what it costs, or whom your keys are sent to: those are shown first."""
Confirm = Callable[[str, str], bool]
"""Shown where a profile comes from and all of its text; whether it may be used."""


def nobody_confirms(source: str, text: str) -> bool:
    """The answer of those who have nobody to ask."""
    return False


@frozen
class Profile:
    """What a profile says: settings by name, and Python to run."""

    source: str
    values: Mapping[str, Any]
    script: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each setting, in files that have some."""


def with_profile(
    settings: Settings,
    name: str = "",
    confirm: Confirm = nobody_confirms,
    own: ProfileParts | None = None,
) -> Settings:
    """Settings with a profile laid over them; without a name, the default one where it exists.

    One in Python may bring languages and a model of its own: they are put into `own`.
    """
    if not name and not _find(DEFAULT).exists():
        return settings
    profile = read(name or DEFAULT, confirm)
    values = dict(_fitting(_flat(profile.values)))
    steering = [f"{key}: {value!r}" for key, value in values.items() if key not in UNASKED]
    if (steering or profile.script) and _code_could_write(name or DEFAULT, settings.directory()):
        _confirmed(confirm, profile.source, "\n".join([*steering, profile.script]).strip())
    if profile.script:
        seen = changed(settings, values, source=profile.source, lines=profile.lines)
        own = own or ProfileParts()
        said = run_script(profile.script, profile.source, seen, own)
        for name, value in _fitting(_flat(said)):
            if is_setting(name) or near_setting(name):
                values[name] = value  # a slip is complained about below
            else:  # an attribute that programs may have, too
                own.say(f"The {profile.source} sets {name!r}, which means nothing here.")
    if "trust_profile" in values:
        raise ConfigurationError(f"{profile.source}: only you can say trust_profile.")
    return changed(settings, values, source=profile.source, lines=profile.lines)


def shipped(name: str) -> dict[str, Any]:
    """The settings of a profile that comes with the program."""
    return dict(_fitting(_flat(SHIPPED[name])))


def read(name: str, confirm: Confirm = nobody_confirms) -> Profile:
    """A profile; one from elsewhere is shown first, and used only if that is confirmed."""
    if "://" in name:
        text = _fetch(name)
        _confirmed(confirm, f"profile {name}", text)
        return _parsed(text, f"profile {name}", Path(urlsplit(name).path).suffix)
    path = _find(name)
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        text = safe_files.read_bytes(place, LARGEST).decode()
    except FileNotFoundError as error:
        if "/" not in name and path.stem in SHIPPED:
            return Profile(f"profile {name}", SHIPPED[path.stem])
        here = f" For the file in this directory: ./{name}" if Path(name).is_file() else ""
        problem = f"There is no profile {name!r}: {path} is missing.{here}"
        raise ConfigurationError(problem) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"Cannot read the profile {path}: {reason}.") from error
    return _parsed(text, f"profile {path}", path.suffix)


def _confirmed(confirm: Confirm, source: str, text: str) -> None:
    if not confirm(source.removeprefix("profile "), text):
        raise ConfigurationError(
            f"The {source} was not confirmed, so it is not used. One that lies in the directory "
            "that `interpreter --profiles` prints needs no question."
        )


def _code_could_write(name: str, workspace: Path) -> bool:
    """Whether a profile lies where a model's code works, and may be that code's."""
    if "://" in name:
        return False  # it has been confirmed
    path = _find(name).resolve()
    here = any(map(path.is_relative_to, (Path.cwd().resolve(), workspace.resolve())))
    return here and not path.is_relative_to(profile_directory())


def _find(name: str) -> Path:
    """A path as it is; a name in the directory of profiles and nowhere else, whatever its suffix.

    A file of that name in the directory we are in may be anybody's.
    """
    if "/" in name:
        return Path(name).expanduser()
    if Path(name).suffix in SUFFIXES:
        return profile_directory() / name
    paths = [profile_directory() / f"{name}{suffix}" for suffix in SUFFIXES]
    return next((path for path in paths if path.exists()), paths[0])


def _fetch(address: str) -> str:
    import httpx  # noqa: PLC0415  (slow to import, and few profiles are far away)

    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ConfigurationError(f"The profile {address} must be fetched over https.")
    try:
        with httpx.stream("GET", address, timeout=FETCH_SECONDS) as answer:
            answer.raise_for_status()
            content = _at_most(answer.iter_bytes(), LARGEST)
        return content.decode()
    except (httpx.HTTPError, ValueError) as error:
        raise ConfigurationError(f"Cannot fetch the profile {address}: {error}.") from error


def _at_most(pieces: Iterator[bytes], most: int) -> bytes:
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > most:
            raise ValueError("it is too large")
    return bytes(content)


def _parsed(text: str, source: str, suffix: str) -> Profile:
    if suffix == ".py":
        return Profile(source, {}, text)
    content = _json(text, source) if suffix == ".json" else _yaml(text, source)
    if content is None:
        return Profile(source, {})
    if not isinstance(content, dict):
        raise ConfigurationError(f"The {source} is not a mapping of settings.")
    script = content.pop("start_script", "") or ""
    lines = key_lines(text)
    lines.update({new: lines[old] for old, new in RENAMED.items() if old in lines})
    return Profile(source, {str(key): value for key, value in content.items()}, str(script), lines)


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"Cannot read the {source}: {error}.") from error


def _yaml(text: str, source: str) -> Any:
    import yaml  # noqa: PLC0415  (slow to import, and most sessions have no profile)

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        reason = why_unreadable(error)
        raise ConfigurationError(f"Cannot read the {source}: {reason}.") from error


def _flat(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings of a profile; those of `llm` and `computer` in a group, or after a dot."""
    for key, value in content.items():
        group, _, name = str(key).rpartition(".")
        if not group and name in GROUPS and isinstance(value, Mapping):
            yield from _flat({f"{name}.{inner}": one for inner, one in value.items()})
        elif group == "computer" and name in OF_THE_COMPUTER:
            continue
        elif (group, name) == ("computer", "skills") and isinstance(value, Mapping):
            yield from _flat({f"computer.skills.{inner}": one for inner, one in value.items()})
        elif str(key) == "computer.skills.path":
            yield "skills_path", value
        elif group in ("", *GROUPS):
            yield name, value
        else:
            yield str(key), value


def _fitting(values: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The settings as we have them; what is unset, or means nothing here, is left out."""
    for name, value in values:
        if name in IGNORED or value is None:
            continue
        if name == "execution_instructions" and not value:
            yield name, ""
        elif isinstance(value, list):
            yield RENAMED.get(name, name), tuple(value)
        else:
            yield RENAMED.get(name, name), value
