"""Rules about programs, and what counts as starting one: read from text, or seen at `execve`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from interpreter.protocol.values import frozen

Words = Sequence[str]
CommandLine = tuple[str, Words]
"""The name of a program, without its directory, and its arguments."""

MULTI_CALL = frozenset({"busybox", "toybox", "coreutils"})
"""One file that is many programs: its first argument says which."""

_LOADER = re.compile(r"ld(?:-linux|-musl)?[-\w.]*\.so(?:\.\d+)*$|ld\.so$")
_LOADER_VALUES = frozenset({"--library-path", "--inhibit-rpath", "--preload", "--audit"})
_LOADER_VALUES |= {"--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask"}
_RUNS_SCRIPTS = re.compile(
    r"(?:ba|da|z|k|fi|a|mk|tc|c)?sh|(?:i?python|pypy|node|nodejs|perl|ruby|php|lua|deno|bun|tclsh"
    r"|env)[\d.]*"
)
_LONGEST_SHOWN = 200
_VERSION = re.compile(r"-?\d[\d.]*")
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})
_GIT_VALUES |= {"--super-prefix", "--attr-source", "--exec-path"}
_TAKES_VALUE = {"git": _GIT_VALUES}
"""Programs of which all options before the first operand are known. Of others, any option may
have taken the word after it."""


@frozen
class ProgramRule:
    """Refuse or ask about a program with these words at the start of its command line."""

    decision: Literal["deny", "ask"]
    words: tuple[str, ...]
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.decision} {shlex.join(self.words)}"

    def rest(self, name: str, arguments: Words) -> Words | None:
        """The arguments after the words of the rule; None if it does not speak about this."""
        for count in range(len(self.words), 0, -1):  # git-push is git push
            if _is_name("-".join(self.words[:count]).rsplit("/", 1)[-1], name):
                known = _TAKES_VALUE.get(self.words[0]) if count == 1 else None
                return _after(self.words[count:], arguments, known)
        return None


def shown(words: Words) -> str:
    """A command line for people, in one line that hides and changes nothing on their screen."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in shlex.join(words))
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]} …"


def command_lines(
    names: Iterable[str], arguments: Words, names_of: Callable[[str], Iterable[str]] | None = None
) -> Iterator[CommandLine]:
    """What a started program stands for: itself, and what it runs without starting it.

    `names_of` tells by which names the file at a path is known.
    """
    tell = names_of or (lambda path: (path.rsplit("/", 1)[-1],))
    for name in dict.fromkeys(names):
        yield name, arguments
        for inner in _inner(name, arguments):
            yield from command_lines(tell(inner[0]), inner[1:], names_of)


def runs_others(name: str) -> bool:
    """Whether a program of this name runs others without starting them."""
    return bool(_RUNS_SCRIPTS.fullmatch(name) or name in MULTI_CALL or _LOADER.match(name))


def _inner(name: str, arguments: Words) -> Iterator[Words]:
    """The command lines inside one: of a loader, a file of many programs, or an interpreter."""
    if _LOADER.match(name):
        yield from _operands(arguments, _LOADER_VALUES)
    elif name in MULTI_CALL:
        chosen = [word.partition("=")[2] for word in arguments[:1] if "-prog=" in word]
        if chosen:
            yield [*chosen, *arguments[1:]]
        yield from _operands(arguments, frozenset())
    elif _RUNS_SCRIPTS.fullmatch(name):
        yield from _scripts(arguments)


def _scripts(arguments: Words) -> Iterator[Words]:
    """What may be the script of an interpreter, with its arguments; a module counts as one.

    Which options take a value differs: a word after an option may be either.
    """
    for place, word in enumerate(arguments):
        if word == "-m":
            if place + 1 < len(arguments):
                yield arguments[place + 1 :]
            return
        if word.startswith("-") or re.match(r"\w+=", word):
            continue
        yield arguments[place:]
        if not place or not arguments[place - 1].startswith("-"):
            return


def _operands(arguments: Words, takes_value: frozenset[str]) -> Iterator[Words]:
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        place += 2 if arguments[place] in takes_value else 1
    if place < len(arguments):
        yield arguments[place:]


def _is_name(wanted: str, name: str) -> bool:
    if name == wanted:
        return True
    return name.startswith(wanted) and bool(_VERSION.fullmatch(name[len(wanted) :]))


def _after(wanted: Words, arguments: Words, known: frozenset[str] | None) -> Words | None:
    """What follows the wanted words among the arguments, options between them left out."""
    if not wanted:
        return arguments
    if wanted[0].startswith("-"):
        given = any(_is_option(wanted[0], word) for word in arguments)
        return _after(wanted[1:], arguments, known) if given else None
    option = False
    for place, word in enumerate(arguments):
        may_be_value = option and (known is None or arguments[place - 1] in known)
        if word == wanted[0] and not (may_be_value and known is not None):
            return _after(wanted[1:], arguments[place + 1 :], None)
        if not word.startswith("-") and not may_be_value:
            return None
        option = word.startswith("-") and "=" not in word and not may_be_value
    return None


def _is_option(wanted: str, word: str) -> bool:
    """Whether a word is this option: with a value, or as one letter among others."""
    if word == wanted or word.startswith(f"{wanted}="):
        return True
    one_letter = re.fullmatch(r"-[a-zA-Z]", wanted)
    return bool(one_letter and re.fullmatch(r"-[a-zA-Z]+", word) and wanted[1] in word[1:])
