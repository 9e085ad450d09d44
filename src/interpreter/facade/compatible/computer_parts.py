"""The parts of `computer` that need no desktop: files, documentation, the model by hand, skills."""

from __future__ import annotations

import difflib
import logging
import os
import pydoc
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from interpreter.assembly.computer.own_functions import (
    fitting,
    functions_in,
    import_skills,
    skill_directory,
    skill_sources,
)
from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import Event
from interpreter.protocol.messages import Code
from interpreter.session.side_questions import JOIN_SUMMARIES, SUMMARIZE, read_through

LARGEST_FILE = 1 << 28
LONGEST_TEXT = 1 << 20
MOST_FILES = 5_000
MOST_FOUND = 20
WRITTEN = {".c", ".cfg", ".css", ".csv", ".go", ".h", ".html", ".ini", ".java", ".js", ".json",
           ".md", ".py", ".r", ".rs", ".rst", ".sh", ".sql", ".tex", ".toml", ".ts", ".txt",
           ".yaml", ".yml"}  # fmt: skip
Ask = Callable[[str, str | None], str]

LOG = logging.getLogger("interpreter")


class Files:
    """`computer.files`: edit a file by what stands in it."""

    def edit(self, path: str, original_text: str, replacement_text: str) -> None:
        """Replace a text wherever it stands; ValueError when it does not, with what is similar."""
        file = safe_files.named_by_user(Path(path), Path.cwd())
        content = safe_files.read_bytes(file, LARGEST_FILE).decode()
        if original_text in content:
            mode = stat.S_IMODE(file.stat().st_mode)
            safe_files.write(file, content.replace(original_text, replacement_text), mode=mode)
            return
        similar = difflib.get_close_matches(original_text, content.splitlines(), n=3)
        hint = f" Did you mean one of these? {', '.join(similar)}" if similar else ""
        raise ValueError(f"Original text not found.{hint}")

    def search(self, query: str, path: str = ".") -> Sequence[dict[str, Any]]:
        """Lines of the files below a directory that have the most words of a query."""
        found = []
        for file in _text_files(Path(path).expanduser()):
            for number, line in enumerate(_text(file).splitlines(), 1):
                if hits := _hits(query, line):
                    found.append((hits, {"path": str(file), "line": number, "text": line.strip()}))
        found.sort(key=lambda one: -one[0])
        return [entry for _, entry in found[:MOST_FOUND]]


class Docs:
    """`computer.docs`: passages of documentation, by their words."""

    def search(
        self, query: str, module: Any = None, paths: Sequence[str] | None = None
    ) -> Sequence[str]:
        """The passages of a module's own documentation, or of files, that fit a query best."""
        texts = [pydoc.plain(pydoc.render_doc(module))] if module is not None else []
        for path in paths or ([] if module is not None else ["."]):
            place = Path(path).expanduser()
            texts += [_text(file) for file in ([place] if place.is_file() else _text_files(place))]
        passages = [part.strip() for text in texts for part in re.split(r"\n\s*\n", text)]
        ranked = sorted(passages, key=lambda part: -_hits(query, part))
        return [part for part in ranked[:MOST_FOUND] if _hits(query, part)]


def _hits(query: str, text: str) -> int:
    lower = text.lower()
    return sum(word in lower for word in set(query.lower().split()))


def _text_files(place: Path) -> Iterator[Path]:
    """Files that people write, in no hidden directory; so many that it ends soon."""
    kept = 0
    for directory, names, files in os.walk(place):
        names[:] = sorted(
            name for name in names if not name.startswith((".", "__", "node_modules"))
        )
        for name in sorted(files):
            file = Path(directory, name)
            if file.suffix.lower() in WRITTEN and kept < MOST_FILES:
                kept += 1
                yield file


def _text(file: Path) -> str:
    try:
        return safe_files.read_bytes(file, LONGEST_TEXT).decode("utf-8", "replace")
    except OSError:  # it is gone, is no file, or is too long
        return ""


class Ai:
    """`computer.ai`: questions to the model, outside the conversation."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def chat(self, text: str, base64: str | None = None) -> str:
        """One question, with a picture if one is given; the answer."""
        return self._ask(text, base64)

    def query(self, text: str, query: str, custom_reduce_query: str | None = None) -> str:
        """A question about a text of any length: asked about each piece, then about the answers."""
        return read_through(
            lambda asked: self._ask(asked, None), text, query, custom_reduce_query or ""
        )

    def summarize(self, text: str) -> str:
        """What a text of any length says."""
        return self.query(text, SUMMARIZE, JOIN_SUMMARIES)


class Skills:
    """`computer.skills`: Python files whose functions are there in every session."""

    def __init__(
        self,
        path: Callable[[], Path],
        run: Callable[[Code], Iterable[Event]],
        may_save: Callable[[], bool],
    ) -> None:
        self._usual_path = path
        self._own_path: Path | None = None
        self._run = run
        self.new_skill = NewSkill(self._path, may_save)

    @property
    def path(self) -> str:
        """The directory they are in."""
        return str(self._path())

    @path.setter
    def path(self, path: str) -> None:
        self._own_path = Path(path).expanduser()

    def _path(self) -> Path:
        return self._own_path or self._usual_path()

    def list(self) -> Sequence[str]:
        """The functions they define, by name."""
        return [name for text in skill_sources(self.path).values() for name in functions_in(text)]

    def search(self, query: str) -> Sequence[str]:
        """The functions whose name has a word of the query; all of them if none has."""
        return fitting(query, list(self.list()))

    def import_skills(self) -> None:
        """Run every file in the Python session; one that fails is told of in the log."""
        import_skills(self.path, self._run, LOG.warning)

    def run(self, skill: str) -> None:
        """Call a skill that takes no arguments, in the Python session."""
        if skill not in self.list():
            raise ConfigurationError(f"There is no skill {skill!r} in {self.path}.")
        for _ in self._run(Code("python", f"{skill}()")):
            pass


class NewSkill:
    """`computer.skills.new_skill`: a skill taught step by step."""

    def __init__(self, path: Callable[[], Path], may_save: Callable[[], bool]) -> None:
        self._path = path
        self._may_save = may_save
        self.create()

    def create(self) -> None:
        """Begin anew."""
        self.name = ""
        self.steps: list[tuple[str, str]] = []

    def add_step(self, step: str, code: str) -> None:
        """The next step: what is done, and how."""
        self.steps.append((step, code))

    def save(self) -> str:
        """Write it as a function that prints its steps, for a model to follow; the file."""
        name = "_".join(re.findall(r"[a-z0-9]+", self.name.lower()))
        if not name.isidentifier() or not self.steps:
            raise ConfigurationError("A new skill needs a name made of words, and steps.")
        if not self._may_save():
            raise ConfigurationError("The skill is not saved: computer.save_skills is False.")
        text = "\n\n".join(
            f"Step {number}: {step}\n{code}" for number, (step, code) in enumerate(self.steps, 1)
        )
        file = skill_directory(str(self._path())) / f"{name}.py"
        safe_files.make_folder(file.parent)
        content = f"def {name}():\n    {self.name!r}\n    print({text!r})\n"
        safe_files.write(file, content)
        return str(file)
