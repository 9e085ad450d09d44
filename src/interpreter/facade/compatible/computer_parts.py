"""The parts of `computer` that work here: files, the model by hand, skills, clipboard, notices."""

from __future__ import annotations

import difflib
import re
import stat
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.host_programs import find_program
from interpreter.session.side_questions import JOIN_SUMMARIES, SUMMARIZE, read_through

LARGEST_FILE = 1 << 28
COMMAND_SECONDS = 10
Ask = Callable[[str, str | None], str]


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

    def search(self, *args: Any, **options: Any) -> Any:
        """Searching by meaning is not here."""
        raise ConfigurationError("computer.files.search is not part of this version.")


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


class Clipboard:
    """`computer.clipboard`: the clipboard, through the tool the system has for it."""

    READERS = (("wl-paste", "-n"), ("xclip", "-o", "-selection", "clipboard"), ("pbpaste",))
    WRITERS = (("wl-copy",), ("xclip", "-i", "-selection", "clipboard"), ("pbcopy",))

    def view(self) -> str:
        """What is in it."""
        return _command(self.READERS, "")

    def copy(self, text: str | None = None) -> None:
        """Put a text into it."""
        if text is None:
            raise ConfigurationError("computer.clipboard.copy needs the text: no keys are pressed.")
        _command(self.WRITERS, text)

    def paste(self) -> None:
        """Pasting presses keys, which is not here."""
        raise ConfigurationError("computer.clipboard.paste is not part of this version.")


class Os:
    """`computer.os`: notices on the desktop."""

    def notify(self, text: str) -> None:
        """Show a notice, of at most 200 characters."""
        _command((("notify-send", "--", text[:200]),), "")

    def get_selected_text(self) -> str:
        """Reading the selection presses keys, which is not here."""
        raise ConfigurationError("computer.os.get_selected_text is not part of this version.")


def _command(choices: tuple[tuple[str, ...], ...], text: str) -> str:
    found = ((find_program(choice[0]), choice) for choice in choices)
    program, argv = next((pair for pair in found if pair[0]), (None, ()))
    if program is None:
        names = ", ".join(choice[0] for choice in choices)
        raise ConfigurationError(f"This needs one of these commands to be installed: {names}.")
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            timeout=COMMAND_SECONDS,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise ConfigurationError(f"{argv[0]} failed: {error}") from error
    return done.stdout


class Skills:
    """`computer.skills`: Python files whose functions are there in every session."""

    def __init__(
        self, path: Callable[[], Path], run: Callable[[str], None], may_save: Callable[[], bool]
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
        return [name for file in self._files() for name in _functions(file)]

    def search(self, query: str) -> Sequence[str]:
        """The functions whose name has a word of the query; all of them if none has."""
        words = query.lower().split()
        found = [name for name in self.list() if any(word in name.lower() for word in words)]
        return found or self.list()

    def import_skills(self) -> None:
        """Run every file in the Python session."""
        for file in self._files():
            self._run(file.read_text(encoding="utf-8"))

    def run(self, skill: str) -> None:
        """Call a skill that takes no arguments, in the Python session."""
        if skill not in self.list():
            raise ConfigurationError(f"There is no skill {skill!r} in {self.path}.")
        self._run(f"{skill}()")

    def _files(self) -> Iterator[Path]:
        return iter(sorted(self._path().glob("*.py")))


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
        file = self._path() / f"{name}.py"
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = f"def {name}():\n    {self.name!r}\n    print({text!r})\n"
        file.write_text(content, encoding="utf-8")
        return str(file)


def _functions(file: Path) -> list[str]:
    return re.findall(r"(?m)^def (\w+)\(", file.read_text(encoding="utf-8"))
