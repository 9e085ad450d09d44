"""Data files that a message names are looked at before the model is asked: see inside/files/."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import site
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.ports import Launch
from interpreter.protocol.values import frozen
from interpreter.tools.named_values import COMMON, named_texts, word_key

PROGRAM = "profile_file.py"
PARTS = ("profile_columns.py", "profile_texts.py")  # which it imports
FOLDER = INSIDE / "files"
MARK = "\x1e"  # between the profile and the texts that its columns have
TEXTS_OF_KINDS = """
.txt .md .markdown .rst .log .ini .cfg .conf .toml .yaml .yml .xml .html .htm .tex .bib
.srt .vtt .ics .vcf .eml .sql
"""
DATA_OF_KINDS = """
.csv .tsv .tab .psv .json .jsonl .ndjson .db .sqlite .sqlite3 .xlsx .xlsm .parquet .pq
.feather .arrow .png .jpg .jpeg .gif .webp .bmp .pdf .gz .zip
"""
TEXT_SUFFIXES, DATA_SUFFIXES = map(frozenset, (TEXTS_OF_KINDS.split(), DATA_OF_KINDS.split()))
SECRETS = re.compile(r"secret|credential|passw|token|private|\.env", re.IGNORECASE)  # in names
QUOTED = re.compile(r"""["'`]([^"'`\n]{1,300}\.\w{2,8})["'`]""")
BARE = re.compile(r"(?<![\w.~+=/-])@?((?:[\w.~+=-]|/|\\ )+\.\w{2,8})")
FOLDERS = re.compile(
    r"\b(?:in|into|from|of|under|inside|within|folder|directory)\s+(?:the\s+)?(?:(?:folder|directory)\s+)?"
    r"""(?:(?:called|named)\s+)?["'`]?([\w~/.+-]{1,200}?)["'`]*(?=[\s,;:?!)]|\.?$|\.\s)"""
    r"|([\w~/.+-]{1,200}) (?:folder|directory)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\bfiles?\b[^.?!\n]{0,60}\b(?:here|in (?:this|the current) (?:folder|directory))\b",
    re.IGNORECASE,
)
TABLES = frozenset((".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet"))
DATABASES = frozenset((".db", ".sqlite", ".sqlite3"))
NOTES = frozenset((".md", ".markdown", ".txt", ".log", ".ini", ".cfg", ".toml", ".yaml", ".yml"))
ABOUT_A_PROJECT = re.compile(
    r"readme|licen[cs]e|copying|changelog|contributing|requirements|constraints", re.IGNORECASE
)
OF_ALL_ROWS = re.compile(r"^(- '.+?' (?:int|float)) \S+ to [^\s,]+", re.MULTILINE)
EVERY_TEXT = re.compile(r"^(- '.+?' text): '", re.MULTILINE)
WORDS = re.compile(r"[^\W_]{2,}")
COLUMN = re.compile(r"^- '(.+?)' ", re.MULTILINE)
TABLE_OF_A_DATABASE = re.compile(r"^- (\w+ \(\d+ rows\): .+)$", re.MULTILINE)
LINE_OF_NOTES = re.compile(r"^\| (.+)$", re.MULTILINE)
SHARED, LONG_WORD = 2, 4  # words that say that a question is about notes, and letters of each
EVERYDAY = frozenset(
    word_key(word)
    for word in WORDS.findall("""
    able about above after again along already also although always another answer anything
    around back because become been before begin being below best better between both came
    change check code come complete compute contain could create describe didn't different does
    doesn't doing don't done down draft during each either else email enough even ever every
    everyone everything exactly example explain file find first follow following form format
    found from full function generate getting give given going good great hasn't haven't having
    help here include information instead into isn't itself just keep kind know last later least
    less like line list little long longer look made make making many maybe mean might mine more
    most much must myself name near need never next nice none note nothing number often once
    only other output over perhaps please possible pretty print probably program provide python
    question quick quickly quite rather read really reply request return right same save script
    sentence several shall short should show simple simply since small some someone something
    soon still such summarize summary sure take tell text than thank that their them themselves
    then there these they thing think this those though through together under unless until upon
    used useful using usually very want wasn't well went were what when where whether which
    while whole whom whose will wish with within without word work would wouldn't write writing
    written yeah your yours yourself
""")
)
"""Words of every other request and of most notes: sharing them says nothing."""
NEAR_KINDS = (TABLES | DATABASES, NOTES)
QUICK = 10_000_000  # bytes that are looked at in a moment
ENTRIES, NEARBY = 60, 4  # things in a directory, and tables or notes among them, that are few
ALIKE = 2  # files of a kind in a folder of which one is shown
MOST_FILES = 200
FILES = 3  # of one message
FOLDERS_SHOWN = 2
LOOKED_AT = 20_000  # characters of a message
HASHED = 64 << 20  # bytes at the beginning that count for the hash, with the size and time
LONGEST = 1_200
TEXTS = 40_000  # bytes of the profile and those texts
SECONDS = 20.0
PROGRAMS = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
"""Where the profiler finds programs: nowhere that a workspace could name."""


@frozen
class ProfilerOptions:
    """Whose files are looked at, and where profiles are kept."""

    workspace: Path
    cache: Path
    is_secret: Callable[[str], bool] = lambda path: False
    """Whether nothing of a file may be told without a question."""
    redact: Callable[[str], str] = str
    """Takes secrets out of what is told, and kept."""


class Profiler:
    """Profiles the data files of a message, each content once."""

    def __init__(self, launch: Launch, options: ProfilerOptions) -> None:
        self._launch = launch
        self._options = options

    def describe(self, text: str) -> str:
        """What the files named in a text hold; empty when it names none."""
        found = mentioned_files(text, self._options.workspace)
        files = [path for path in found if not self._is_secret(path)]
        told = (with_named_texts(self._profile(path), text) + self._example(path) for path in files)
        return "\n\n".join(filter(None, told))

    def describe_nearby(self, text: str) -> str:
        """The same of the few tables, databases and notes that lie around, where a text speaks of
        what they hold without naming any: "total km per car?" """
        near = files_nearby(self._options.workspace)
        files = [path for path in near if not self._is_secret(path)]
        profiles = ((path, with_named_texts(self._profile(path), text)) for path in files)
        meant = [told for path, told in profiles if is_about(text, path, told)]
        return "\n\n".join(meant[:FILES])

    def _example(self, folder: Path) -> str:
        """What one of the tables in a folder holds, where there are several of a kind."""
        kinds = _tables_in(folder, self._options.workspace) if folder.is_dir() else []
        files = [path for path in kinds if not self._is_secret(path)]
        if len(files) < ALIKE or any(SECRETS.search(path.name) for path in files):
            return ""
        head, _, columns = self._profile(files[0]).partition(MARK)[0].partition("\n")
        place = folder.resolve().relative_to(self._options.workspace.resolve())
        name = f"{place}/{head.partition(': ')[0]}"
        known = OF_ALL_ROWS.sub(r"\1", EVERY_TEXT.sub(r"\1, e.g. '", columns[:LONGEST])).strip()
        every = f"for path in Path({str(place)!r}).glob('*{files[0].suffix}')"
        return f"\nAll of them: {every}. One of them is {name}, with:\n{known}" if known else ""

    def _is_secret(self, path: Path) -> bool:
        is_text = path.suffix.lower() in TEXT_SUFFIXES
        return self._options.is_secret(str(path)) or bool(is_text and SECRETS.search(path.name))

    def _profile(self, path: Path) -> str:
        try:
            kept = self._options.cache / f"{_content_hash(path, self._options.workspace)}.txt"
        except OSError:  # it lies behind a link of the workspace, which only the cell follows
            return self._options.redact(self._run(path))
        with contextlib.suppress(OSError):
            return safe_files.read_start(kept, TEXTS).decode("utf-8", "replace")
        profile = self._options.redact(self._run(path))
        if profile:
            safe_files.make_folder(kept.parent)
            safe_files.write(kept, profile)
        return profile

    def _run(self, path: Path) -> str:
        """Ask a Python in the cell; a file that takes it too long has no profile.

        Code there may have left start files, modules and programs of its own: this Python looks
        for none of them, and the program comes with the command.
        """
        packages = f"--packages={os.pathsep.join(_own_packages(self._options.workspace))}"
        python = str(Path(sys.executable).resolve())
        process = self._launch(
            [python, "-I", "-S", "-B", "-c", _program(), packages, str(path)],
            env={"PATH": PROGRAMS},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(SECONDS)  # a profile is smaller than a pipe, so it never waits for us
        except subprocess.TimeoutExpired:
            process.signal_group(9)
            process.wait()
        assert process.stdout is not None
        with process.stdout as stream:
            printed = stream.read(TEXTS)
        return printed.decode("utf-8", "replace").strip() if not process.returncode else ""


def _program() -> str:
    """All files as one program, which imports the others from itself."""
    lines = ["import sys, types"]
    for part in PARTS:
        name, source = Path(part).stem, (FOLDER / part).read_text(encoding="utf-8")
        lines += [
            f"sys.modules[{name!r}] = module = types.ModuleType({name!r})",
            f"exec({source!r}, module.__dict__)",
        ]
    program = (FOLDER / PROGRAM).read_text(encoding="utf-8")
    return "\n".join([*lines, f"exec({program!r}, {{'__name__': '__main__'}})", ""])


def with_named_texts(printed: str, text: str) -> str:
    """The profile, with the values of columns that a text names."""
    profile, _, listed = printed.partition(MARK)
    named = named_texts(text, _texts(listed))
    return "\n".join((profile[:LONGEST].strip(), *named)).strip()


def _texts(listed: str) -> dict[str, dict[str, int]]:
    """What a program in the cell says about columns, as far as it is what we expect."""
    try:
        found = json.loads(listed[:TEXTS]) if listed else {}
    except (ValueError, RecursionError):
        return {}
    columns = found.items() if isinstance(found, dict) else ()
    return {
        name: {text: count for text, count in texts.items() if isinstance(count, int)}
        for name, texts in columns
        if isinstance(texts, dict)
    }


def mentioned_files(text: str, workspace: Path) -> tuple[Path, ...]:
    """The data files and folders that a text names and that exist, in the order of their names."""
    said = text[:LOOKED_AT]
    names = [*QUOTED.findall(said), *BARE.findall(said)]
    found: dict[Path, None] = {}
    for name in names:
        path = _existing(name, workspace)
        if path is not None:
            found.setdefault(path)
    return (*tuple(found)[:FILES], *_mentioned_folders(said, workspace))


def files_nearby(workspace: Path) -> tuple[Path, ...]:
    """The tables, databases and notes in a directory that holds little else; none where there are
    many things, and none of a kind of which there are many."""
    try:
        entries = list(itertools.islice(os.scandir(workspace), ENTRIES + 1))
        names = sorted(one.name for one in entries if one.is_file(follow_symlinks=False))
    except OSError:
        return ()
    shown = [one for one in names if not one.startswith(".") and not SECRETS.search(one)]
    if len(entries) > ENTRIES:
        return ()
    sizes = {one.name: one.stat(follow_symlinks=False).st_size for one in entries}
    small = [one for one in shown if sizes[one] <= QUICK and not ABOUT_A_PROJECT.match(one)]
    kinds = [[one for one in small if Path(one).suffix.lower() in kind] for kind in NEAR_KINDS]
    return tuple(workspace / one for kind in kinds if len(kind) <= NEARBY for one in kind)


def is_about(text: str, path: Path, profile: str) -> bool:
    """Whether a text speaks of a file: by its name, or by that of a column, a table or a value of
    it; of notes by several of their words."""
    said = _keys(text[:LOOKED_AT]) - COMMON
    names = (path.stem, *COLUMN.findall(profile), *TABLE_OF_A_DATABASE.findall(profile))
    if said & _keys(" ".join(names)) or "\nNamed in the request: " in profile:
        return True
    shared = (said - EVERYDAY) & _keys(" ".join(LINE_OF_NOTES.findall(profile)))
    return sum(len(word) >= LONG_WORD for word in shared) >= SHARED


def _keys(text: str) -> set[str]:
    return {word_key(word) for word in WORDS.findall(text.replace("_", " "))}


def _mentioned_folders(said: str, workspace: Path) -> list[Path]:
    found: dict[Path, None] = {}
    for name in map("".join, FOLDERS.findall(said)):
        if name.strip("./~") and (path := _at(name, workspace)) is not None and path.is_dir():
            found.setdefault(path)
    if HERE.search(said):
        found.setdefault(workspace)
    return list(found)[:FOLDERS_SHOWN]


def _tables_in(folder: Path, workspace: Path) -> list[Path]:
    """The tables of the most frequent kind in a folder of the workspace."""
    try:
        if not folder.resolve().is_relative_to(workspace.resolve()):
            return []
        names = sorted(
            entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)
        )
    except OSError:
        return []
    shown = [name for name in names if not name.startswith(".")]
    kinds = Counter(Path(name).suffix.lower() for name in shown)
    kind = next((kind for kind, _ in kinds.most_common(1) if kind in TABLES), "")
    return [folder / name for name in shown if kind and name.lower().endswith(kind)]


def _existing(name: str, workspace: Path) -> Path | None:
    if Path(name).suffix.lower() not in TEXT_SUFFIXES | DATA_SUFFIXES:
        return None
    path = _at(name, workspace)
    return path if path is not None and path.is_file() else None


def _at(name: str, workspace: Path) -> Path | None:
    """Where a name leads, if anything is there."""
    try:
        path = workspace / Path(name.replace("\\ ", " ")).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):  # a name that no file can have
        return None


def _own_packages(workspace: Path) -> list[str]:
    """Where our own packages are, unless code could have put others there."""
    places = map(Path, site.getsitepackages())
    return [str(p) for p in places if not p.resolve().is_relative_to(workspace.resolve())]


def _content_hash(path: Path, workspace: Path) -> str:
    """Of the content, the name and who describes it; a very long file counts by its time, too.

    What was said in one workspace is believed in no other.
    """
    digest = hashlib.blake2b(os.fsencode(workspace.resolve()), digest_size=16)
    digest.update(b"\0" + os.fsencode(path.name) + b"\0")
    digest.update(_program().encode())
    with safe_files.opened(safe_files.named_by_user(path, workspace)) as file:
        details = os.fstat(file.fileno())
        digest.update(file.read(HASHED))
    if details.st_size > HASHED:
        digest.update(f"{details.st_size} {details.st_mtime_ns}".encode())
    return digest.hexdigest()
