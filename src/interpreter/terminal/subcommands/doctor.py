"""`interpreter doctor`: what works here, what does not, and the command that mends it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

from interpreter.protocol.errors import ConfigurationError, InterpreterError, install_command
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings
from interpreter.settings.sources import gather
from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS, paint

State = Literal["ok", "absent", "degraded", "missing"]


@frozen
class Diagnosis:
    """One line: what, how it is, more about it, and what mends it."""

    what: str
    state: State
    detail: str = ""
    fix: str = ""


USAGE = "usage: interpreter doctor     what works here, and what mends the rest"
SECONDS = 5.0
ANTHROPIC = "https://api.anthropic.com"
MEND_HOOKS = "mend that file; no session begins before, as it may be a guard"
NO_MODEL = f"interpreter config key PROVIDER, or ollama serve, or {install_command('local')}"


def model_findings(settings: Settings) -> Iterator[Diagnosis]:
    """The model that a conversation would begin with now."""
    if settings.api_base:
        yield _server(settings.model, settings.api_base)
        return
    from interpreter.assembly.model_choice import choose  # noqa: PLC0415  (asks servers)
    from interpreter.models.choice import Choice  # noqa: PLC0415

    choice = Choice(settings.model) if settings.model else choose(settings)
    if not choice.name:
        yield Diagnosis("model", "missing", choice.sentence, NO_MODEL)
    elif choice.download:
        yield Diagnosis("model", "degraded", choice.sentence, "interpreter models pull")
    elif base := choice.api_base or _base_of(choice.name):
        yield _server(choice.name, base)
    else:
        yield Diagnosis("model", "ok", choice.name)


def _base_of(name: str) -> str:
    """Where a hosted model is served; empty for one that runs here."""
    from interpreter.models.providers import provider_of  # noqa: PLC0415

    if name.startswith(("anthropic/", "claude")):
        return ANTHROPIC
    found = provider_of(name, has_base=False)
    if found is None:
        return ""
    names = (os.environ.get(variable, "") for variable in found[0].base_names)
    return next(filter(None, names), found[0].base)


def _server(model: str, url: str) -> Diagnosis:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "127.0.0.1", port), timeout=SECONDS):
            return Diagnosis(
                "model", "ok", f"{model or 'a model'}: {parts.hostname}:{port} answers"
            )
    except (OSError, ValueError) as error:
        fix = "start that server, or interpreter --local, or interpreter config set api_base URL"
        return Diagnosis("model", "missing", f"{model or 'a model'} at {url}: {error}", fix)


OLDEST_PYTHON = (3, 11)
FREE_WANTED = 2_000_000_000


def doctor_command(arguments: list[str]) -> int:
    """Look at everything; 1 when something that is needed is missing."""
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if arguments:
        raise ConfigurationError(f"There is nothing to be said to it. {USAGE}")
    settings, broken = Settings(), []
    try:
        settings = gather({}).settings
    except InterpreterError as error:
        broken = [Diagnosis("settings", "missing", str(error), "interpreter config edit")]
    findings = [*broken, *(finding for check in CHECKS for finding in check(settings))]
    for finding in findings:
        print(f"{_painted(finding.state)} {finding.what:10} {sentence(finding.detail)}")
        if finding.fix:
            print(f"{'':9} {'':10} → {sentence(finding.fix)}")
    return int(any(finding.state == "missing" for finding in findings))


def _painted(state: State) -> str:
    """A state in its colour, where there are colours."""
    palette = COLOURS if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else NO_COLOURS
    styles = {
        "ok": palette.good,
        "absent": palette.dim,
        "degraded": palette.warning,
        "missing": palette.bad,
    }
    return paint(f"{state:9}", styles[state])


def _python(settings: Settings) -> Iterator[Diagnosis]:
    version = platform.python_version()
    good = sys.version_info >= OLDEST_PYTHON
    fix = "" if good else "install Python 3.11 or newer"
    yield Diagnosis("Python", "ok" if good else "missing", f"{version}, {sys.executable}", fix)
    if settings.python:
        found = shutil.which(settings.python)
        detail = f"for code: {settings.python}"
        yield Diagnosis(
            "Python", "ok" if found else "missing", detail, "" if found else "--python PATH"
        )


def _kernels(settings: Settings) -> Iterator[Diagnosis]:
    have = importlib.util.find_spec("ipykernel") is not None
    fix = "" if have else f"{sys.executable} -m pip install ipykernel"
    yield Diagnosis("kernel", "ok" if have else "missing", "ipykernel", fix)
    if have:
        from jupyter_client.kernelspec import KernelSpecManager  # noqa: PLC0415  (slow to import)

        others = sorted(KernelSpecManager().find_kernel_specs())
        yield Diagnosis("kernels", "ok", ", ".join(others) or "no others")


def _languages(settings: Settings) -> Iterator[Diagnosis]:
    """Every language, where it is, or how to get it; only the first few are missed by most."""
    from interpreter.runtimes.catalog import states  # noqa: PLC0415  (doctor's own look)

    for one in states():
        absent: State = "degraded" if one.language.name in ("shell", "javascript") else "absent"
        detail = f"{one.language.name}: {one.detail if one.present else 'not found'}"
        fix = "" if one.present else one.detail
        yield Diagnosis("language", "ok" if one.present else absent, detail, fix)


READERS = {
    "tables": ("pandas", "CSV, Excel and other tables"),
    "Excel": ("openpyxl", "Excel files"),
    "Parquet": ("pyarrow", "Parquet and Feather files"),
    "PDF": ("pypdf", "the text of PDFs"),
    "plots": ("matplotlib", "plots"),
}


def _data(settings: Settings) -> Iterator[Diagnosis]:
    """The packages by which code reads data; another Python (`--python`) has its own."""
    for what, (module, purpose) in READERS.items():
        there = importlib.util.find_spec(module) is not None
        fix = "" if there else f"{sys.executable} -m pip install {module}"
        yield Diagnosis(what, "ok" if there else "absent", f"{module}: {purpose}", fix)


def _git(settings: Settings) -> Iterator[Diagnosis]:
    path = shutil.which("git")
    fix = "" if path else "apt install git"
    yield Diagnosis("git", "ok" if path else "degraded", path or "not found", fix)


def _sandbox(settings: Settings) -> Iterator[Diagnosis]:
    if settings.sandbox == "off":
        yield Diagnosis("sandbox", "degraded", "turned off", "interpreter config unset sandbox")
        return
    from interpreter.sandboxes.doctor import examine  # noqa: PLC0415  (it opens real sandboxes)

    for fact in examine(os.environ):
        yield Diagnosis(
            "sandbox", "ok" if fact.good else "degraded", f"{fact.name}: {fact.detail}", fact.fix
        )


def _journal(settings: Settings) -> Iterator[Diagnosis]:
    """Undo needs a kernel that reports system calls to us; it is there since Linux 5.9."""
    if sys.platform != "linux":
        yield Diagnosis("journal", "degraded", "files are kept by git instead", "")
        return
    numbers = platform.release().split(".")[:2]
    release = tuple(int("".join(filter(str.isdigit, number)) or 0) for number in numbers)
    good = release >= (5, 9)
    fix = "" if good else "Linux 5.9 or newer (files are kept by git instead)"
    yield Diagnosis("journal", "ok" if good else "degraded", f"Linux {platform.release()}", fix)


def _terminal(settings: Settings) -> Iterator[Diagnosis]:
    from interpreter.terminal.render.pictures.painter import detect  # noqa: PLC0415

    term = os.environ.get("TERM", "")
    if not sys.stdout.isatty() or term in ("", "dumb"):
        yield Diagnosis(
            "terminal",
            "degraded",
            "plain text only",
            "TERM=xterm-256color interpreter, in a terminal",
        )
        return
    size = shutil.get_terminal_size()
    pictures = f"pictures by {detect(os.environ)}"
    yield Diagnosis("terminal", "ok", f"{term}, {size.columns}x{size.lines}, {pictures}")
    if os.environ.get("TMUX"):
        yield Diagnosis("tmux", "ok", "pictures need: tmux set -g allow-passthrough on")


def _display(settings: Settings) -> Iterator[Diagnosis]:
    there = (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    fix = "" if there else "only for the screen and mouse: xvfb-run interpreter"
    yield Diagnosis("display", "ok" if there else "degraded", str(there or "none"), fix)


def _disk(settings: Settings) -> Iterator[Diagnosis]:
    for what, path in (("data", data_directory()), ("workspace", settings.directory())):
        there = next(place for place in (path, *path.parents) if place.exists())
        free = shutil.disk_usage(there).free
        state: State = "ok" if free >= FREE_WANTED else "degraded"
        fix = "" if free >= FREE_WANTED else "make room: interpreter sessions delete ID"
        if not os.access(there, os.W_OK):
            state, fix = "missing", f"make {there} writable"
        yield Diagnosis(what, state, f"{path}, {free / 1e9:.1f} GB free", fix)


def _keys(settings: Settings) -> Iterator[Diagnosis]:
    from interpreter.settings.keys import kept_in_file  # noqa: PLC0415

    try:
        kept = kept_in_file()
    except InterpreterError as error:
        yield Diagnosis("keys", "degraded", str(error))
        return
    if importlib.util.find_spec("keyring") is None:
        detail = f"in a private file: {', '.join(kept) or 'none'}"
        yield Diagnosis("keys", "ok", detail)
    else:
        yield Diagnosis("keys", "ok", "in the system keyring")


def _tool_servers(settings: Settings) -> Iterator[Diagnosis]:
    """Each server of tools, started as a session starts it."""
    from interpreter.assembly.tool_servers.servers import configured  # noqa: PLC0415

    notes: list[str] = []
    try:
        known = configured(settings, notes.append)
    except InterpreterError as error:
        yield Diagnosis("tools", "degraded", str(error))
        return
    yield from (Diagnosis("tools", "absent", note, "interpreter trust") for note in notes)
    if not known:
        return
    from interpreter.assembly.tool_servers.check import try_servers  # noqa: PLC0415  (opens a cell)

    for tried in try_servers(settings):
        detail = f"{tried.name}: {tried.detail}"
        yield Diagnosis("tools", "ok" if tried.good else "degraded", detail, tried.fix)


def _hooks(settings: Settings) -> Iterator[Diagnosis]:
    """How many hooks there are, and what is wrong with others."""
    from interpreter.assembly.hooks import configured, left_out  # noqa: PLC0415

    found = configured(settings)
    if found.hooks:
        yield Diagnosis("hooks", "ok", f"{len(found.hooks)}; interpreter hooks lists them")
    yield from (Diagnosis("hooks", "missing", text, MEND_HOOKS) for text in found.mistakes)
    yield from (Diagnosis("hooks", "degraded", text) for text in found.left_out)
    for file in left_out(settings):
        yield Diagnosis("hooks", "absent", f"{file} is not used", "interpreter trust")


Check = Callable[[Settings], Iterator[Diagnosis]]
CHECKS: tuple[Check, ...] = (
    *(
        _python,
        _kernels,
        _languages,
        _data,
        _git,
        _sandbox,
        _journal,
        model_findings,
        _keys,
        _tool_servers,
        _hooks,
        _terminal,
        _display,
        _disk,
    ),
)
