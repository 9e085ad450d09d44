"""A file of code that is to pass its tests: the model writes the whole file, and nothing else.

Small models err in patches, in quoting, and in saying what they did. So they are shown the file and
its tests, write all of the file anew, and the tests are run each time; what fails is shown to them,
at most twice.
"""

from __future__ import annotations

import ast
import re

from interpreter.models.small.rounds import Round
from interpreter.protocol.values import frozen

FILE = re.compile(r"(?<![\w.])[\w/-]+\.py\b")
IS_TEST = re.compile(r"(?:^|/)(?:test_\w*|\w+_test|tests?)\.py$")
CHANGES = re.compile(
    r"\b(?:implement|fix|make|complete|solve|repair|write|correct|change|finish)\b", re.IGNORECASE
)
REPAIRS = 2
SHOWN = 3_000  # characters of a file
FAILED = 1_200  # characters of what failing tests print
PASS, FAIL = "The tests pass.", "The tests fail."

LOOK = """\
from pathlib import Path
for name in {names!r}:
    text = Path(name).read_text() if Path(name).exists() else ""
    print(f"{{name}}:\\n{{text[:{shown}]}}\\n")"""
WRITE = """\
from pathlib import Path
import subprocess, sys
Path({name!r}).write_text({source})
for tool in ("pytest", "unittest"):
    done = subprocess.run([sys.executable, "-m", tool, "-q", {test}],
                          capture_output=True, text=True, timeout=120)
    if "No module named pytest" not in done.stderr:
        break
print((done.stdout + done.stderr)[-{failed}:])
print({passing!r} if done.returncode == 0 else {failing!r})"""
ASK = """\


{files}
Write the whole file {name} as one ```python block. It is saved for you, and the tests are run. \
Keep the names that the tests use. Write no tests."""
REPAIR = """\
The tests fail:
{output}

Write the whole file {name} again, corrected, as one ```python block."""
DONE = "{name} is written, and the tests in {tests} pass."
NOT_DONE = """\
{name} is written, but the tests in {tests} still fail after {repairs} repairs:

```text
{output}
```"""


@frozen
class Coding:
    """A file to be written, and the tests that it has to pass."""

    name: str
    tests: tuple[str, ...]

    @classmethod
    def of(cls, request: str) -> Coding | None:
        """Read it from a request that names one file and its tests; None for all others."""
        names = list(dict.fromkeys(FILE.findall(request)))
        tests = tuple(name for name in names if IS_TEST.search(name))
        others = [name for name in names if name not in tests]
        if len(others) != 1 or not tests or not CHANGES.search(request):
            return None
        return cls(others[0], tests)

    @property
    def look(self) -> str:
        """Code that shows the file and its tests."""
        return LOOK.format(names=[self.name, *self.tests], shown=SHOWN)

    def writing(self, source: str) -> str:
        """Code that writes the file and runs the tests."""
        text = source.strip() + "\n"
        simple = "'''" not in text and not text.rstrip().endswith(("'", "\\"))
        return WRITE.format(
            name=self.name,
            source=f"r'''{text}'''" if simple else repr(text),
            test=", ".join(map(repr, self.tests)),
            failed=FAILED,
            passing=PASS,
            failing=FAIL,
        )

    def answer(self, rounds: list[Round]) -> str:
        """What the user is told, when it is done or cannot be; nothing while it goes on."""
        written = [one for one in rounds if written_text(one)]
        tests = ", ".join(self.tests)
        if written and written[-1].output.strip().endswith(PASS):
            return DONE.format(name=self.name, tests=tests)
        if len(written) <= REPAIRS:
            return ""
        output = failure_of(written[-1])
        return NOT_DONE.format(name=self.name, tests=tests, repairs=REPAIRS, output=output)

    def request(self, rounds: list[Round]) -> tuple[str, str, str]:
        """What is added to the question, and the last attempt with what was wrong with it."""
        files = next((one.output for one in rounds if not written_text(one)), "")
        added = ASK.format(files=files.strip(), name=self.name)
        last = rounds[-1]
        if not (attempt := written_text(last)):
            return added, "", ""
        return added, attempt, REPAIR.format(output=failure_of(last), name=self.name)


def written_text(one: Round) -> str:
    """The text that a block writes into its file; nothing where it writes none."""
    try:
        nodes = list(ast.walk(ast.parse(one.source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(attr="write_text"), [ast.Constant(str(text))]):
                return text
    return ""


def failure_of(one: Round) -> str:
    """What failing tests printed, or why they did not run."""
    printed = one.output.strip().removesuffix(FAIL).strip()
    return printed or one.summary or one.errors.strip()[-FAILED:]
