"""All settings in one frozen value, and how a profile, the environment and flags make it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.settings.described_languages import DescribedLanguage, described_language


@frozen
class Settings:
    """What a session is built from. Nothing inside writes it back."""

    model: str = ""
    """The model by name; empty: the best that can be reached."""
    api_base: str = ""
    api_key: str = ""
    api_version: str = ""
    context_window: int = 0
    max_tokens: int = 0
    temperature: float | None = None
    """How freely the model chooses its words; None: what is usual for it."""
    reasoning_effort: str = ""
    """none, minimal, low, medium, high or max; empty: what is usual for the model."""
    dialect: str = ""
    """How the model calls for code: native, fenced or mixed; empty: what is known about it."""
    model_timeout: float = 0.0
    """Seconds that the model may be silent; 0: what is usual for it."""
    drafts: int = 4
    """Programs that the built-in small model writes beside its first, to compare what they print,
    where code runs without asking; 0: none."""
    grammar: bool = True
    """Hold the built-in small model to the form of a reply while it writes: one block of code, or
    the JSON that was asked for."""
    auto_run: bool = False
    """Run without asking."""
    approval: str = ""
    """ask, auto or never: who decides about code; empty: what auto_run says."""
    rules: str = ""
    """The file with rules about what may run; empty: rules.toml beside the profiles."""
    system_message: str = ""
    custom_instructions: str = ""
    trust_profile: bool = False
    """Run `{{ … }}` in the system message as Python, once; a profile cannot say this itself."""
    max_steps: int = 100
    keep_history: bool = True
    """Keep the session in the database."""
    workspace: str = ""
    """The directory code works in; empty: the current one."""
    sandbox: str = "workspace"
    """How code is confined: read-only, workspace, trusted, off."""
    supports_functions: bool | None = None
    """Whether the model calls tools; None: what is known about it."""
    supports_vision: bool | None = None
    max_budget: float = 0.0
    """Dollars that a session may cost; 0: no limit."""
    max_turn_budget: float = 0.0
    """Dollars that the answer to one message may cost."""
    max_turn_tokens: int = 0
    max_session_tokens: int = 0
    max_session_steps: int = 0
    """Requests to the model in one session."""
    max_turn_seconds: float = 0.0
    max_session_seconds: float = 0.0
    max_memory: int = 0
    """Megabytes that all code together may hold; 0: as many as usual."""
    max_programs: int = 0
    """Programs that may run at once; 0: as many as usual."""
    offline: bool = False
    safe_mode: str = "off"
    max_output: int = 0
    """Characters of a block's output that the model reads, of its end; 0: as many as usual, of both
    ends."""
    loop: bool = False
    """Ask the model to go on until it says that it is done."""
    loop_message: str = ""
    loop_breakers: tuple[str, ...] = ()
    user_message_template: str = ""
    always_apply_user_message_template: bool = False
    code_output_template: str = ""
    empty_code_output_template: str = ""
    code_output_sender: str = ""
    execution_instructions: str | None = None
    """How a model without tools is told to write code; None: the usual words."""
    shrink_images: bool = True
    os: bool = False
    """OS mode: the model sees the screen and uses mouse and keyboard."""
    os_dry: bool = False
    """In OS mode, only draw where it would click."""
    os_exclude: str = ""
    """Words in titles of windows, or names of programs, that OS mode must not see; with commas."""
    require_sandbox: bool = False
    """Run nothing where no sandbox can be had; else every block is asked about there."""
    personal: bool = True
    """Use your own tool servers, skills, commands and instructions, and a trusted project's."""
    import_skills: bool = False
    skills_path: str = ""
    verbose: bool = False
    """Show what else happens: checkpoints, requests, reasons."""
    debug: bool = False
    plain: bool = False
    """No colour, no live lines: for dumb terminals, logs and screen readers."""
    highlight_active_line: bool = True
    multi_line: bool = True
    edit_mode: str = "emacs"
    """How the prompt is edited: emacs or vi."""
    images: str = "auto"
    """How pictures are drawn in the terminal: auto, kitty, iterm2, sixel, blocks or none."""
    speak_messages: bool = False
    voice: bool = False
    """Talk and listen in the terminal."""
    hands_free: bool = False
    """With `voice`: a message ends when you stop speaking, without a key."""
    voice_ear: str = ""
    """What hears, as provider/model of a server; empty: Whisper on this machine."""
    voice_mouth: str = ""
    """What speaks: provider/model of a server, or `system`; empty: Kokoro on this machine."""
    voice_name: str = ""
    """The voice that a server speaks with."""
    voice_language: str = ""
    """The language you speak, as `en` or `de`; empty: whatever it sounds like."""
    voice_api_base: str = ""
    """Where the server of voice_ear and voice_mouth is, if not where its provider is."""
    python: str = ""
    """The Python that code runs in: a path; empty: the one of the workspace, else our own."""
    env: tuple[str, ...] = ()
    """Variables that code finds: NAME=value, or the NAME of one that is set here."""
    languages: tuple[str | DescribedLanguage, ...] = ()
    """The languages that may be used; none named: all. A profile can also describe some."""
    tools: tuple[str, ...] = ()
    """What the model can do, by name (execute, jobs, those of installed packages); none named: the
    usual."""
    kernel: str = ""
    """A Jupyter kernel that runs already, and that Python runs in, outside of the sandbox: its
    connection file, a part of its name, or `existing` for the newest."""
    mcp_servers: str = ""
    """Servers of tools beside those of the user and the directory, as `.mcp.json` has them."""
    web_search: str = ""
    """What `web.search` asks: the address of a SearXNG, `brave`, or SERVER.TOOL of tool servers."""
    timeout: float = 0.0
    """Seconds that one block may take; 0: no limit."""
    dry_run: bool = False
    """Take back what each block did to files and variables."""

    def directory(self) -> Path:
        """The workspace as a path."""
        return Path(self.workspace).expanduser().resolve() if self.workspace else Path.cwd()


_TYPES = get_type_hints(Settings)
_NAMES = {field.name for field in fields(Settings)}
CHOICES = {
    "reasoning_effort": ("none", "minimal", "low", "medium", "high", "max"),
    "dialect": ("native", "fenced", "mixed"),
    "approval": ("ask", "auto", "never"),
    "sandbox": ("read-only", "workspace", "trusted", "off"),
    "safe_mode": ("off", "ask", "auto"),
    "edit_mode": ("emacs", "vi"),
    "images": ("auto", "kitty", "iterm2", "sixel", "blocks", "none"),
}
"""What a setting can be, where that is a word of a few; those that may be left out can be empty."""


def changed(
    settings: Settings,
    values: Mapping[str, Any],
    *,
    source: str,
    lines: Mapping[str, int] | None = None,
) -> Settings:
    """Settings with some values replaced, each checked; `source` names them in an error.

    `lines` are the lines of the source that name them, where it is a file.
    """
    if isinstance(values.get("safe_mode"), bool):  # what YAML makes of `off`
        values = {**values, "safe_mode": as_safe_mode(values["safe_mode"])}
    if isinstance(env := values.get("env"), Mapping):
        values = {**values, "env": tuple(f"{name}={value}" for name, value in env.items())}
    if isinstance(servers := values.get("mcp_servers"), Mapping):
        values = {**values, "mcp_servers": json.dumps({"mcpServers": servers})}
    try:
        values = {**values, **_with_languages_described(values)}
    except ConfigurationError as error:
        raise _at("languages", str(error), source, lines) from error
    for name, value in values.items():
        if problem := fault(name, value):
            raise _at(name, problem, source, lines)
    return replace(settings, **values)


def _at(
    name: str, problem: str, source: str, lines: Mapping[str, int] | None
) -> ConfigurationError:
    line = (lines or {}).get(name)
    where = source if line is None else f"{source}, line {line}"
    return ConfigurationError(f"{where}: {problem}")


def _with_languages_described(values: Mapping[str, Any]) -> dict[str, Any]:
    entries = values.get("languages")
    if not isinstance(entries, tuple | list):
        return {}
    described = (described_language(e) if isinstance(e, Mapping) else e for e in entries)
    return {"languages": tuple(described)}


def fault(name: str, value: Any) -> str:
    """What is wrong with a value for a setting, as a sentence; empty when nothing is."""
    if name not in _NAMES:
        near = near_setting(name)
        return f"there is no setting {name!r}." + (f" Did you mean {near!r}?" if near else "")
    if not _fits(value, _TYPES[name]):
        kind = getattr(_TYPES[name], "__name__", str(_TYPES[name]))
        return f"{name!r} must be of type {kind}, not {value!r}."
    if isinstance(value, int | float) and value < 0:
        return f"{name!r} cannot be negative, as {value!r} is."
    known = CHOICES.get(name, (value,))
    if value not in known and (value or getattr(Settings(), name)):
        return f"{name!r} is one of {', '.join(known)}; not {value!r}."
    return ""


def is_setting(name: str) -> bool:
    """Whether there is a setting of this name."""
    return name in _NAMES


def as_safe_mode(value: str | bool) -> str:
    """Off, ask or auto; programs and YAML also say True and False."""
    if isinstance(value, bool):
        return "auto" if value else "off"
    return value


def near_setting(name: str) -> str:
    """The setting that was probably meant; empty if there is none."""
    from difflib import get_close_matches  # noqa: PLC0415  (only to complain)

    return next(iter(get_close_matches(name, sorted(_NAMES), n=1)), "")


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(kind, UnionType):
        return any(_fits(value, one) for one in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(isinstance(v, get_args(kind)[0]) for v in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def key_lines(text: str) -> dict[str, int]:
    """The line of each key in a YAML or JSON text, by its last name; nothing if it is neither."""
    import yaml  # noqa: PLC0415  (only where a file has settings)

    found: dict[str, int] = {}
    try:
        waiting = [yaml.compose(text, Loader=yaml.SafeLoader)]
    except yaml.YAMLError:
        return found
    while waiting:
        node = waiting.pop()
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            found.setdefault(str(key.value).rpartition(".")[2], key.start_mark.line + 1)
            waiting.append(value)
    return found
