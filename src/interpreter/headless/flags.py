"""`--print`, `--output-format` and the flags beside them: what a program says when it starts us.

The flags are those of the coding agents that speak the same lines, so that programs made for them
can start us. The others of the command line mean what they always mean.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NoReturn

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen
from interpreter.settings.settings import Settings

SPELLINGS = {"--allowedTools": "--allowed-tools", "--disallowedTools": "--disallowed-tools"}
MODES = ("default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions")
EFFORTS = {"xhigh": "high", **{word: word for word in ("low", "medium", "high", "max")}}
REFUSED = {
    "--agent": "agents of that kind are not known here",
    "--agents": "agents of that kind are not known here",
    "--plugin-dir": "plug-ins of that kind are not known here",
    "--resume-drops-turn": "a session goes on where it ended",
    "--resume-session-at": "a session goes on where it ended; rewind_files goes back from there",
    "--session-mirror": "a session is kept here, and not handed on to a store of the SDK's",
}
MEANINGLESS = (
    *("--betas", "--fallback-model", "--thinking", "--thinking-display"),
    "--max-thinking-tokens",
)
MEANINGLESS_SWITCHES = ("--allow-dangerously-skip-permissions", "--include-hook-events")
LARGEST_FILE = 1 << 20
MOST_VALUES = 50_000
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_TOOLS = re.compile(r"[^\s,(]+(?:\([^)]*\))?")

Format = Literal["text", "json", "stream-json"]


@frozen
class HeadlessOptions:
    """What the flags say."""

    output: Format = "text"
    input: Literal["text", "stream-json"] = "text"
    mode: str = ""
    """The permission mode; empty: what the settings say."""
    asks: bool = False
    """Whether the program at the other end answers questions."""
    allowed: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    """The tools that there are at all; None: the usual ones."""
    partial: bool = False
    replay: bool = False
    schema: dict[str, Any] | None = None
    servers: dict[str, Any] = field(default_factory=dict)
    """Servers of tools, as `.mcp.json` has them, and those within the other program."""
    only_these_servers: bool = False
    go_on: bool = False
    fork: bool = False
    session: str = ""
    directories: tuple[Path, ...] = ()
    """Beside the workspace, what code may change."""
    values: dict[str, Any] = field(default_factory=dict)
    """What it comes to in settings."""

    def applied(self, settings: Settings) -> Settings:
        """Settings with what the flags say; what they add to the prompt is added."""
        more = self.values.get("custom_instructions", "")
        whole = "\n\n".join(filter(None, (settings.custom_instructions, more)))
        return replace(settings, **{**self.values, "custom_instructions": whole})


def split(arguments: list[str]) -> tuple[HeadlessOptions, list[str]]:
    """The flags of a program, and the others, which are settings and the message."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for argument in arguments[:end]:
        if reason := REFUSED.get(_flag_name(argument)):
            raise ConfigurationError(f"{_flag_name(argument)} is not possible: {reason}.")
    given, others = _parser().parse_known_args(list(map(_as_written, arguments[:end])))
    return _options(given), others + arguments[end:]


def _flag_name(argument: str) -> str:
    name = argument.partition("=")[0]
    return name.replace("_", "-") if name.startswith("--") else ""


def _as_written(argument: str) -> str:
    """A flag as it is defined here: `--allowedTools` and `--allowed_tools` are the same."""
    name, equals, value = argument.partition("=")
    known = {name.replace("_", "-"), SPELLINGS.get(name, "")} & _known_flags()
    return (known.pop() if known else name) + equals + value


class _FlagParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"{message} (see interpreter --help)")


def _parser() -> argparse.ArgumentParser:
    made = _FlagParser(prog="interpreter", add_help=False, allow_abbrev=False)
    made.add_argument("--print", action="store_true")
    made.add_argument("--output-format", choices=("text", "json", "stream-json"), default="text")
    made.add_argument("--input-format", choices=("text", "stream-json"), default="text")
    made.add_argument("--permission-mode", choices=MODES, default="")
    made.add_argument("--dangerously-skip-permissions", action="store_true")
    made.add_argument("--permission-prompt-tool", choices=("stdio",), default="")
    for name in ("--allowed-tools", "--disallowed-tools"):
        made.add_argument(name, action="append", default=[])
    made.add_argument("--tools")
    made.add_argument("--max-turns", type=int)
    made.add_argument("--max-budget-usd", type=float)
    made.add_argument("--task-budget", type=int)
    made.add_argument("--effort", choices=tuple(EFFORTS))
    for name in ("--system-prompt", "--append-system-prompt"):
        made.add_argument(name, default="")
        made.add_argument(f"{name}-file", default="")
    made.add_argument("--settings", default="")
    made.add_argument("--setting-sources")
    made.add_argument("--mcp-config", action="append", default=[])
    made.add_argument("--strict-mcp-config", action="store_true")
    made.add_argument("--add-dir", action="append", default=[])
    made.add_argument("--json-schema", default="")
    made.add_argument("--include-partial-messages", action="store_true")
    made.add_argument("--replay-user-messages", action="store_true")
    made.add_argument("--continue", action="store_true", dest="go_on")
    made.add_argument("--fork-session", action="store_true")
    made.add_argument("--session-id", default="")
    made.add_argument("--no-session-persistence", action="store_true")
    for name in MEANINGLESS:
        made.add_argument(name)
    for name in MEANINGLESS_SWITCHES:
        made.add_argument(name, action="store_true")
    return made


@cache
def _known_flags() -> frozenset[str]:
    return frozenset(_parser()._option_string_actions)


def _options(given: argparse.Namespace) -> HeadlessOptions:
    if given.input_format == "stream-json" and given.output_format != "stream-json":
        raise ConfigurationError("--input-format stream-json needs --output-format stream-json.")
    if given.session_id and not _SESSION.fullmatch(given.session_id):
        raise ConfigurationError("--session-id may have letters, digits and `-`, at most 64.")
    rules = _permissions(given.settings)
    mode = "bypassPermissions" if given.dangerously_skip_permissions else given.permission_mode
    return HeadlessOptions(
        output=given.output_format,
        input=given.input_format,
        mode=mode or rules.get("defaultMode", ""),
        asks=bool(given.permission_prompt_tool),
        allowed=_tools(*given.allowed_tools, *rules.get("allow", ())),
        disallowed=_tools(*given.disallowed_tools, *rules.get("deny", ())),
        tools=None if given.tools in (None, "default") else _tools(given.tools),
        partial=given.include_partial_messages,
        replay=given.replay_user_messages,
        schema=_schema(given.json_schema),
        servers=_servers(given.mcp_config),
        only_these_servers=given.strict_mcp_config,
        go_on=given.go_on,
        fork=given.fork_session,
        session=given.session_id,
        directories=_directories(given.add_dir),
        values=_values(given),
    )


def _values(given: argparse.Namespace) -> dict[str, Any]:
    """What becomes of the flags in settings."""
    for name in ("max_turns", "max_budget_usd", "task_budget"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise ConfigurationError(f"--{name.replace('_', '-')} is to be more than 0.")
    values = {
        "max_steps": given.max_turns,
        "max_budget": given.max_budget_usd,
        "max_turn_tokens": given.task_budget,
        "reasoning_effort": EFFORTS[given.effort] if given.effort else None,
        "system_message": given.system_prompt or _read(given.system_prompt_file),
        "custom_instructions": "\n\n".join(
            filter(None, (given.append_system_prompt, _read(given.append_system_prompt_file)))
        ),
        "keep_history": False if given.no_session_persistence else None,
        "personal": False if given.setting_sources == "" else None,
    }
    return {name: value for name, value in values.items() if value not in (None, "")}


def with_mode(settings: Settings, mode: str) -> Settings:
    """Settings in which code is asked about as a permission mode says."""
    match mode:
        case "bypassPermissions":
            return replace(settings, approval="auto")
        case "auto":
            return replace(settings, approval="auto", safe_mode="auto")
        case "plan":
            return replace(settings, approval="never")
        case "default" | "acceptEdits" | "dontAsk":
            return replace(settings, approval="ask")
    return settings


def _tools(*texts: str) -> tuple[str, ...]:
    """`Bash(git log:*), execute`: names, each with what it is about in brackets."""
    return tuple(found for text in texts for found in _TOOLS.findall(text))


def _permissions(text: str) -> dict[str, Any]:
    """The permissions in settings of that kind; anything else in them is refused, not left out."""
    if not text:
        return {}
    found = _json(text if text.lstrip().startswith("{") else _read(text), "--settings")
    rules = found.pop("permissions", {})
    lists = [rules.get(name, []) for name in ("allow", "deny")] if isinstance(rules, dict) else [0]
    good = all(isinstance(some, list) and all(isinstance(t, str) for t in some) for some in lists)
    if found or not good or not set(rules) <= {"allow", "deny", "defaultMode"}:
        raise ConfigurationError(
            "--settings may have `permissions` with `allow`, `deny` and `defaultMode`, "
            "and nothing else; the flags of interpreter --help set the rest."
        )
    if rules.get("defaultMode", MODES[0]) not in MODES:
        raise ConfigurationError(f"--settings: `defaultMode` is one of {', '.join(MODES)}.")
    return dict(rules)


def _schema(text: str) -> dict[str, Any] | None:
    return _json(text, "--json-schema") if text else None


def _servers(texts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        told = _json(text if text.lstrip().startswith("{") else _read(text), "--mcp-config")
        servers = told.get("mcpServers")
        if not isinstance(servers, dict):
            raise ConfigurationError("--mcp-config: `mcpServers` is to be an object of servers.")
        found |= servers
    return found


def _directories(names: list[str]) -> tuple[Path, ...]:
    found = tuple(Path(name).expanduser().resolve() for name in names)
    for path in found:
        if not path.is_dir():
            raise ConfigurationError(f"--add-dir: {str(path)!r} is no directory.")
    return found


def _json(text: str, flag: str) -> dict[str, Any]:
    try:
        found = bounded_json(text.encode(), MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{flag}: it is no JSON: {error}.") from error
    if not isinstance(found, dict):
        raise ConfigurationError(f"{flag}: it is no JSON object.")
    return found


def _read(name: str) -> str:
    if not name:
        return ""
    try:
        return safe_files.read_bytes(Path(name).expanduser(), LARGEST_FILE).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{name!r} cannot be read: {error}.") from error
