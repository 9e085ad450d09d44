"""Which servers there are: the user's file, the project's `.mcp.json`, a profile."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible

PROJECT_FILE = ".mcp.json"
LONGEST_FILE = 1 << 20
MOST_SERVERS = 200
MOST_VALUES = 50_000
Source = Literal["user", "project", "profile", "caller"]
RESERVED = ("search", "describe", "servers", "resources", "read", "prompts", "prompt")
"""Names that code has for something else."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SETTING = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@frozen
class ToolServerConfig:
    """One server as it was written down: a program, or an address. Variables are not filled in."""

    name: str
    source: Source = "user"
    command: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    """How long one call may take at most; 0: as long as usual."""
    always_load: bool = False
    """Whether its tools are shown to the model one by one."""
    client_id: str = ""
    """Who we are to its authorization server, where that was arranged before."""

    @property
    def attribute(self) -> str:
        """The name under which code finds its tools."""
        return as_attribute(self.name)

    @property
    def identity(self) -> str:
        """What tells it from another server, or from itself after it was changed."""
        told = [self.source, self.command, self.env, self.url, self.headers]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def describe(self) -> str:
        """What will be started or connected to, exactly, drawn so that it can be read."""
        if self.url:
            lines = [f"connect to {visible(self.url)}"]
            lines += [f"with the header {visible(name)}: {visible(v)}" for name, v in self.headers]
        else:
            lines = [f"run {visible(shlex.join(self.command))}"]
            lines += [f"with {visible(name)}={visible(value)}" for name, value in self.env]
        return "\n".join(lines)

    def filled(self, environment: Mapping[str, str]) -> ToolServerConfig:
        """The same with `${VARIABLE}` replaced; ConfigurationError when one is not set."""

        def fill(text: str) -> str:
            return _VARIABLE.sub(lambda found: self._value(found, environment), text)

        return ToolServerConfig(
            name=self.name,
            source=self.source,
            command=tuple(map(fill, self.command)),
            env=tuple((name, fill(value)) for name, value in self.env),
            url=fill(self.url),
            headers=tuple((name, fill(value)) for name, value in self.headers),
            seconds=self.seconds,
            always_load=self.always_load,
            client_id=self.client_id,
        )

    def _value(self, found: re.Match[str], environment: Mapping[str, str]) -> str:
        name, default = found[1], found[2]
        value = environment.get(name) or default
        if value is None:
            raise ConfigurationError(
                f"The tool server {self.name!r} needs {name}, which is not set."
            )
        return value


def as_attribute(name: str) -> str:
    """A name as code can write it."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain[:1].isalpha() else f"s_{plain}"


def read_file(path: Path, source: Source) -> dict[str, ToolServerConfig]:
    """The servers of a file; none where there is no file. Links are not followed."""
    try:
        text = safe_files.read_bytes(path, LONGEST_FILE)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError(f"Cannot read {path}: {error.strerror}.") from error
    return servers_in(text, source, str(path))


def servers_in(text: bytes, source: Source, where: str) -> dict[str, ToolServerConfig]:
    """The servers of a text in the format of `.mcp.json`."""
    try:
        found = bounded_json(text, MOST_VALUES)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{where}: it is no JSON: {error}.") from error
    servers = found.get("mcpServers", {}) if isinstance(found, dict) else None
    if not isinstance(servers, dict) or len(servers) > MOST_SERVERS:
        raise ConfigurationError(f"{where}: `mcpServers` is to be an object of servers.")
    return {name: _server(name, entry, source, where) for name, entry in servers.items()}


def as_object(config: ToolServerConfig) -> dict[str, Any]:
    """A server as it is written down."""
    fields: dict[str, Any] = {}
    if config.url:
        fields = {"type": "http", "url": config.url}
        fields |= {"headers": dict(config.headers)} if config.headers else {}
        fields |= {"clientId": config.client_id} if config.client_id else {}
    else:
        fields = {"command": config.command[0], "args": list(config.command[1:])}
        fields |= {"env": dict(config.env)} if config.env else {}
    fields |= {"timeout": int(config.seconds * 1000)} if config.seconds else {}
    return {**fields, **({"alwaysLoad": True} if config.always_load else {})}


def variables(config: ToolServerConfig) -> Iterator[str]:
    """The variables of ours that a server is handed."""
    texts = [*config.command, config.url, *(v for _, v in (*config.env, *config.headers))]
    for text in texts:
        for found in _VARIABLE.finditer(text):
            yield found[1]


def _server(name: Any, entry: Any, source: Source, where: str) -> ToolServerConfig:
    def wrong(why: str) -> ConfigurationError:
        return ConfigurationError(f"{where}: server {visible(str(name)[:80])}: {why}.")

    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise wrong("its name may have letters, digits, `_`, `-` and `.`")
    if not isinstance(entry, dict):
        raise wrong("it is to be an object")
    command, url, kind = entry.get("command"), entry.get("url"), entry.get("type", "")
    if (command is None) == (url is None):
        raise wrong("it has either a `command` or a `url`")
    if kind == "sse":
        raise wrong("servers of the type `sse` are not supported; ask for streamable HTTP")
    client_id = entry.get("clientId", "")
    words = [command, *_list(entry, "args", wrong)] if command is not None else []
    if not all(
        isinstance(word, str) and "\0" not in word for word in (*words, url or "", client_id)
    ):
        raise wrong("`command`, `args` and `url` are texts")
    if url is not None and not re.match(r"https?://|\$\{", url):
        raise wrong("its `url` begins with https://")
    return ToolServerConfig(
        name,
        source,
        tuple(words),
        _pairs(entry, "env", wrong),
        url or "",
        _pairs(entry, "headers", wrong),
        _seconds(entry, wrong),
        entry.get("alwaysLoad") is True,
        client_id,
    )


def _seconds(entry: Mapping[str, Any], wrong: Any) -> float:
    timeout = entry.get("timeout", 0)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout < 0:
        raise wrong("`timeout` is a number of milliseconds")
    return float(timeout) / 1000


def _list(entry: Mapping[str, Any], key: str, wrong: Any) -> list[Any]:
    found = entry.get(key, [])
    if not isinstance(found, list):
        raise wrong(f"`{key}` is a list")
    return found


def _pairs(entry: Mapping[str, Any], key: str, wrong: Any) -> tuple[tuple[str, str], ...]:
    found = entry.get(key, {})
    good = isinstance(found, dict) and all(isinstance(value, str) for value in found.values())
    if not good or (key == "env" and not all(map(_SETTING.fullmatch, found))):
        raise wrong(f"`{key}` is an object of texts")
    if any("\n" in text or "\r" in text or "\0" in text for pair in found.items() for text in pair):
        raise wrong(f"`{key}` has line ends in it")
    return tuple(found.items())


def named(configs: Iterable[ToolServerConfig]) -> dict[str, ToolServerConfig]:
    """The servers by the names under which code finds them."""
    found: dict[str, ToolServerConfig] = {}
    for config in configs:
        name = config.attribute
        while name in found or name in RESERVED:
            name += "_"
        found[name] = config
    return found
