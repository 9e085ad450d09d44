"""What `interpreter --local` offers: the built-in models, and every model of the servers here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.models.embedded.catalogue import PREFIX, CatalogueModel
from interpreter.models.embedded.machine import Machine, fits
from interpreter.models.local.readings import LocalModel
from interpreter.models.local.servers import KINDS, LocalServer
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible


@frozen
class Entry:
    """One line that can be chosen; `download` is what choosing it costs first, in bytes."""

    name: str
    title: str
    note: str = ""
    api_base: str = ""
    context: int = 0
    """As its server says; 0 where it is fitted to this machine when it starts."""
    download: int = 0


@frozen
class Menu:
    """The entries, numbered from 1, and the lines about servers that do not run."""

    entries: tuple[Entry, ...]
    hints: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The menu as text."""
        width = max((len(entry.title) for entry in self.entries), default=0)
        for number, entry in enumerate(self.entries, start=1):
            yield f"{number:3}  {visible(entry.title):{width}}  {visible(entry.note)}".rstrip()
        if self.hints:
            yield "Not running:"
            yield from (f"     {visible(hint)}" for hint in self.hints)

    def choose(self, answer: str) -> Entry | None:
        """The entry that an answer means: a number, or the beginning of one title only."""
        said = answer.strip().lower()
        if said.isdecimal():
            at = int(said) - 1
            return self.entries[at] if 0 <= at < len(self.entries) else None
        named = [entry for entry in self.entries if said and said in entry.title.lower()]
        return named[0] if len(named) == 1 else None

    def named(self, name: str) -> Entry | None:
        """The entry whose model has exactly this name."""
        return next((entry for entry in self.entries if entry.name == name), None)


def local_menu(
    built_in: Sequence[tuple[CatalogueModel, bool]],
    servers: Sequence[LocalServer],
    machine: Machine,
) -> Menu:
    """The menu for what there is; each built-in model comes with whether its file is here."""
    entries = [_built_in(model, here, machine) for model, here in built_in]
    entries += [_served(server, model, machine) for server in servers for model in server.models]
    running = {server.kind for server in servers}
    empty = [server for server in servers if not server.models]
    hints = [f"{server.kind.title} runs but has no models yet" for server in empty]
    hints += [f"{kind.title}: {kind.start}" for kind in KINDS if kind not in running]
    return Menu(tuple(entries), tuple(hints))


def _built_in(model: CatalogueModel, here: bool, machine: Machine) -> Entry:
    words = ["built in", size_text(model.size), "" if here else "to download"]
    words.append(_fit(model.size, machine))
    return Entry(
        name=f"{PREFIX}/{model.name}",
        title=model.name,
        note=", ".join(filter(None, words)),
        download=0 if here else model.size,
    )


def _served(server: LocalServer, model: LocalModel, machine: Machine) -> Entry:
    words = [server.kind.title, model.details, size_text(model.size) if model.size else ""]
    words.append(f"context {model.context:,}" if model.context else "")
    words.append("loaded" if model.loaded else _fit(model.size, machine))
    return Entry(
        name=f"{server.kind.prefix}/{model.name}",
        title=model.name,
        note=", ".join(filter(None, words)),
        api_base=server.api_base,
        context=model.context,
    )


def _fit(size: int, machine: Machine) -> str:
    if not size or fits(machine, size):
        return ""
    return f"too big for {size_text(machine.memory)} of memory"


def size_text(size: int) -> str:
    """Bytes as people say them."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
