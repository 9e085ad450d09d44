"""What a cell may see and do, as plain values; chosen by the user, never by the model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, get_args

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.system.host_programs import find_program
from interpreter.protocol.values import frozen

Level = Literal["read-only", "workspace", "trusted", "off"]
LEVELS: tuple[Level, ...] = get_args(Level)

ENVIRONMENT = (
    *("PATH", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "USER", "LOGNAME"),
    # where certificates are, on machines whose network has its own
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"),
    *("NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"),
)

SYSTEM_PLACES = (
    *("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "root", "run", "sbin"),
    *("sys", "usr", "var", "tmp", "home", "Users", "System", "Library", "Applications"),
)

SECRETS_IN_HOME = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc"),
    *(".git-credentials", ".vault-token", ".terraform.d", ".password-store", ".pgpass", ".my.cnf"),
    *(".config/gcloud", ".config/gh", ".config/git/credentials", ".config/rclone", ".config/op"),
    *(".config/doctl", ".config/hub", ".config/google-chrome", ".config/chromium", ".mozilla"),
    *(".config/BraveSoftware", ".config/Signal", ".config/Code", ".local/share/keyrings"),
    *(".thunderbird", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(".databricks", ".snowflake", ".huggingface", ".cache/huggingface/token", ".bash_history"),
    *(".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".config/reploop"),
    *(".local/share/reploop", ".local/state/reploop", ".claude", ".codex", ".gemini", ".keychain"),
    *("Library/Keychains", "Library/Cookies", "Library/Application Support/Google/Chrome"),
)


@frozen
class CellLimits:
    """How much one cell may use. Zero means no limit."""

    memory_mb: int = 4096
    programs: int = 512
    file_mb: int = 4096
    tmp_mb: int = 1024
    open_files: int = 4096
    disk_reserve_mb: int = 512
    """What must stay free on the disks of the workspace and of the temporary directory."""
    own_files_mb: int = 16_384
    """What packages of the session, and what is handed over, may take up together."""


@frozen
class Confinement:
    """The walls of a cell; interpreters live in `programs`.

    `read` and `write` are grants, by paths without links: what is a link by now is not shown.
    """

    level: Level = "workspace"
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    """Never shown, whatever else is: our own settings, sessions and keys."""
    proxy: bool = True
    """Whether programs find a proxy in their environment, by which hosts can be granted."""
    environment: tuple[str, ...] = ENVIRONMENT
    limits: CellLimits = field(default_factory=CellLimits)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            known = ", ".join(LEVELS)
            raise ConfigurationError(
                f"There is no sandbox level {self.level!r}; use one of {known}."
            )


def check_workspace(workspace: Path, home: Path) -> Path:
    """The workspace with links resolved; ConfigurationError for places that are the system's."""
    place = workspace.resolve()
    if not place.is_dir():
        raise ConfigurationError(f"The workspace {str(workspace)!r} is not a directory.")
    system = {Path("/"), *(Path("/") / name for name in SYSTEM_PLACES)} - {home.resolve()}
    if place in system or place in home.resolve().parents:
        raise ConfigurationError(
            f"{str(place)!r} cannot be a workspace: it holds the system or other people's files. "
            "Start in a project directory, or name one with --workspace."
        )
    return place


def chosen_environment(names: tuple[str, ...], host: Mapping[str, str]) -> dict[str, str]:
    """The variables that may enter a cell; a name ending in * stands for all that begin so."""
    exact = {name for name in names if not name.endswith("*")}
    prefixes = tuple(name[:-1] for name in names if name.endswith("*"))
    return {
        name: value
        for name, value in host.items()
        if name in exact or (prefixes and name.startswith(prefixes))
    }


def interpreter_places(*cell_places: Path) -> tuple[Path, ...]:
    """Where this Python and Node live, as they may be anywhere (virtual environments, ~/.nvm …).

    Not where a workspace says: a `node` in it could be a link, to have its target shown.
    """
    places = {Path(sys.prefix), Path(sys.base_prefix)}
    node = find_program("node", *cell_places)
    if node:
        real = Path(node).resolve()
        places.add(real.parents[1] if real.parent.name == "bin" else real.parent)
    return tuple(sorted(place for place in places if place != Path("/usr")))


def home_directory(host: Mapping[str, str]) -> Path:
    """The user's home as programs find it."""
    return Path(host["HOME"]) if host.get("HOME") else Path.home()
