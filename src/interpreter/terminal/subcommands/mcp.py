"""`interpreter mcp`: servers of tools, added, listed, tried, removed; and ourselves as one."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interpreter.assembly.tool_servers.servers import PROJECT_FILE, configured, pin_book, user_file
from interpreter.mcp.configuration import (
    Source,
    ToolServerConfig,
    as_object,
    read_file,
    servers_in,
    variables,
)
from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.visible import sentence, visible
from interpreter.settings.settings import Settings
from interpreter.settings.sources import gather
from interpreter.terminal.arguments import OneLineParser

USAGE = """\
usage: interpreter mcp add NAME [--env KEY=VALUE]… [--timeout SECONDS] [--project] -- COMMAND …
       interpreter mcp add NAME [--header 'NAME: VALUE']… [--timeout SECONDS] [--project] URL
       interpreter mcp list | test [NAME]… | remove NAME [--project] | login NAME | serve"""


def mcp_command(arguments: list[str]) -> int:
    """Do what the first word says."""
    word, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if word in ("", "-h", "--help"):
        print(USAGE)
        return 0
    if word not in COMMANDS:
        raise ConfigurationError(f"There is no {word!r}.\n{USAGE}")
    return COMMANDS[word](rest)


def _add(arguments: list[str]) -> int:
    parser = OneLineParser(prog="interpreter mcp add")
    parser.add_argument("name")
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE")
    parser.add_argument("--timeout", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--project", action="store_true", help="in this directory's .mcp.json")
    parser.add_argument("words", nargs="+", metavar="COMMAND | URL")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    given, command = arguments[:at], arguments[at + 1 :]
    options = parser.parse_args([*given, *(["-"] if command else [])])
    words = command or options.words
    entry: dict[str, Any] = {"timeout": int(options.timeout * 1000)} if options.timeout else {}
    if words[0].startswith(("http://", "https://")):
        headers = dict(_pair(text, ":") for text in options.header)
        entry |= {"type": "http", "url": words[0]} | ({"headers": headers} if headers else {})
    else:
        env = dict(_pair(text, "=") for text in options.env)
        entry |= {"command": words[0], "args": words[1:]} | ({"env": env} if env else {})
    file, source = _place(project=options.project)
    text = json.dumps({"mcpServers": {options.name: entry}}).encode()
    config = servers_in(text, source, "interpreter mcp add")[options.name]
    _write(file, {**read_file(file, source), options.name: config})
    pin_book().approve(config)  # whoever writes it down wants it
    print(f"{visible(options.name)} is in {visible(str(file))}; it will\n{config.describe()}")
    return 0


def _remove(arguments: list[str]) -> int:
    parser = OneLineParser(prog="interpreter mcp remove")
    parser.add_argument("name")
    parser.add_argument("--project", action="store_true", help="from this directory's .mcp.json")
    options = parser.parse_args(arguments)
    file, source = _place(project=options.project)
    known = read_file(file, source)
    gone = known.pop(options.name, None)
    if gone is None:
        raise ConfigurationError(f"There is no {options.name!r} in {file}.")
    pin_book().forget(gone)
    _write(file, known)
    print(f"{visible(options.name)} is no longer in {visible(str(file))}")
    return 0


def _list(arguments: list[str]) -> int:
    for name, config in _configured().items():
        pinned = pin_book().find(config)
        known = f"{len(pinned.tools)} tools" if pinned and pinned.listed else "not used yet"
        state = "never approved" if pinned is None else known
        needs = sorted(set(variables(config)))
        more = f"; needs {', '.join(needs)}" if needs else ""
        print(f"{visible(name):20} {config.source:8} {state}{more}")
        print("".join(f"{'':20} {line}\n" for line in config.describe().split("\n")), end="")
    return 0


def _test(arguments: list[str]) -> int:
    known = _configured()
    for name in arguments:
        if name not in known:
            raise ConfigurationError(f"There is no tool server {name!r}.")
        _approved(known[name])
    from interpreter.assembly.tool_servers.check import try_servers  # noqa: PLC0415  (opens a cell)

    good = True
    for tried in try_servers(_settings(), arguments):
        good = good and tried.good
        print(
            f"{'ok' if tried.good else 'failed':7} {visible(tried.name)}: {sentence(tried.detail)}"
        )
        if tried.fix:
            print(f"{'':7} → {sentence(tried.fix)}")
    return 0 if good else 1


def _login(arguments: list[str]) -> int:
    parser = OneLineParser(prog="interpreter mcp login")
    parser.add_argument("name")
    parser.add_argument("--forget", action="store_true", help="forget the tokens instead")
    options = parser.parse_args(arguments)
    config = _configured().get(options.name)
    if config is None or not config.url:
        raise ConfigurationError(f"There is no tool server {options.name!r} at an address.")
    from interpreter.assembly.tool_servers.logins import log_in, log_out  # noqa: PLC0415  (loads httpx)

    filled = config.filled(os.environ)
    if options.forget:
        print("Forgotten." if log_out(filled) else "There was no login.")
        return 0

    def show(url: str) -> None:
        print(f"Log in here:\n  {visible(url)}", flush=True)
        webbrowser.open_new_tab(url)

    print("Logged in." if log_in(filled, show) else "This server wants no login.")
    return 0


def _approved(config: ToolServerConfig) -> None:
    """Have the user's yes to a server that was never used."""
    if pin_book().find(config) is not None:
        return
    print(f"{visible(config.name)} was never used. It will, in the sandbox:\n{config.describe()}")
    if not sys.stdin.isatty():
        raise ConfigurationError("Nobody is there to approve it.")
    if input("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ConfigurationError("It was not approved.")
    pin_book().approve(config)


def _configured() -> dict[str, ToolServerConfig]:
    return configured(_settings(), lambda text: print(sentence(text), file=sys.stderr))


def _settings() -> Settings:
    return gather({}).settings


def _place(*, project: bool) -> tuple[Path, Source]:
    return (Path.cwd() / PROJECT_FILE, "project") if project else (user_file(), "user")


def _write(file: Path, servers: dict[str, ToolServerConfig]) -> None:
    told = {name: as_object(config) for name, config in servers.items()}
    safe_files.make_folder(file.parent)
    safe_files.write(file, json.dumps({"mcpServers": told}, indent=2) + "\n")


def _pair(text: str, sign: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found:
        raise ConfigurationError(f"{text!r} is to be NAME{sign}VALUE.")
    return name.strip(), value.strip()


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "add": _add,
    "list": _list,
    "remove": _remove,
    "test": _test,
    "login": _login,
}
