"""What the rounds of a turn tell of a file: how it was, what was tried, and which of it is best."""

from __future__ import annotations

import ast
import re

from interpreter.models.small.coding.programs import AS_IT_IS, FAIL, PASS
from interpreter.models.small.parsed import parsed
from interpreter.models.small.rounds import Round

FOUND = re.compile(r"^tests: (\[.*\])$", re.MULTILINE)
LENGTH = re.compile(r", (\d+) characters:$", re.MULTILINE)
WAY = re.compile(r"^way (\d):$", re.MULTILINE)
PASSED = re.compile(r"(\d+) passed")
FAILED = 1_200  # characters of what failing tests print
Version = tuple[str, str]
"""A text of the file, or of the part, and what its tests printed."""


def length_of_file(look: Round) -> int:
    """Its characters."""
    found = LENGTH.search(look.printed)
    return int(found[1]) if found else 0


def tests_in(look: Round) -> tuple[str, ...]:
    """The tests that were found."""
    found = FOUND.search(look.printed)
    return tuple(re.findall(r"[\w./~-]+\.py", found[1])) if found else ()


def text_shown(look: Round, name: str) -> str | None:
    """As much as is shown of a file, nothing of one that is not there; None where it was not
    read."""
    if look.failed or not (found := LENGTH.search(look.printed)):
        return None
    if look.printed[: found.start()].endswith(f"\n{name}"):
        return look.printed[found.end() + 1 :][: int(found[1])]
    return "" if found[1] == "0" else None


def without_result(look: Round) -> str:
    """What is shown, without what came of the tests."""
    text, mark, _ = look.printed.rpartition(f"\n{AS_IT_IS}")
    return text if mark else look.printed


def result_of(look: Round) -> str:
    """What came of the tests before anything was written."""
    return look.printed.rpartition(f"\n{AS_IT_IS}")[2].strip()


def written(rounds: list[Round]) -> list[Round]:
    """Those that were to write a version."""
    return [one for one in rounds if not one.to_compare and written_text(one)]


def stands(rounds: list[Round], original: str) -> str:
    """What is there now."""
    texts = [written_text(one) for one in written(rounds) if not one.failed]
    return texts[-1] if texts else original


def not_wanted(rounds: list[Round]) -> list[Round]:
    """Versions that the user declined to have written."""
    return [one for one in written(rounds) if one.overruled and one.failed]


def best(rounds: list[Round], original: str = "") -> Version:
    """The version of which most tests passed, but for the original; the first of such."""
    tried = [way for way in all_tried(rounds) if way[0] != original]
    return max(tried, key=lambda way: score(way[1]), default=("", ""))


def score(output: str) -> tuple[bool, int]:
    """How good a version is, by what its tests printed."""
    return output.endswith(PASS), passed(output)


def all_tried(rounds: list[Round]) -> list[Version]:
    """The versions that were written, and those that were only tried."""
    lasting = [(written_text(one), one.output.strip()) for one in written(rounds)]
    return [*lasting, *(way for one in rounds for way in _tried(one))]


def ways(one: Round) -> list[str]:
    """The versions that a block tries."""
    for node in parsed(one.source).body if one.to_compare else ():
        match node:
            case ast.Assign([ast.Name("WAYS")], ast.List(texts)):
                values = [text.value for text in texts if isinstance(text, ast.Constant)]
                return [value for value in values if isinstance(value, str)]
    return []


def _tried(one: Round) -> list[Version]:
    """The versions that a block tried."""
    texts, (_, *told) = ways(one), WAY.split(one.output)
    outputs = dict(zip(map(int, told[::2]), told[1::2], strict=True))
    return [(text, outputs[at].strip()) for at, text in enumerate(texts) if at in outputs]


def passed(output: str) -> int:
    """How many tests passed, by what is said at their end."""
    found = PASSED.findall(output)
    return int(found[-1]) if found else 0


def written_text(one: Round) -> str:
    """The text that a block puts into its file; nothing where it writes none."""
    for node in ast.walk(parsed(one.source)):
        match node:
            case ast.Call(ast.Name("put"), [_, ast.Constant(str(text))]):
                return text
    return ""


def failure_of(one: Round) -> str:
    """What failing tests printed, or why they did not run."""
    printed = one.output.strip().removesuffix(FAIL).strip()
    return printed or one.summary or one.errors.strip()[-FAILED:]
