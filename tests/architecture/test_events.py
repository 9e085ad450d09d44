"""Whoever tells events apart takes in all of them."""

import ast
from pathlib import Path
from typing import get_args

from interpreter.protocol import events

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/interpreter"
NAMES = {kind.__name__ for kind in get_args(events.Event)}


def matches():
    """Every `match` that tells events apart, with the file it is in."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Match) and classes(node) & NAMES:
                yield path, node


def classes(match):
    patterns = (one for case in match.cases for one in ast.walk(case.pattern))
    kinds = (one.cls for one in patterns if isinstance(one, ast.MatchClass))
    return {ast.unparse(kind).rpartition(".")[2] for kind in kinds}


def is_handed_on(case, subject):
    """Whether the last case is `case _:`, and what is left goes to a function that takes no more."""
    called = [
        node
        for statement in case.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    ]
    handed = [argument for call in called for argument in call.args]
    wildcard = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
    return wildcard and case.guard is None and any(ast.dump(a) == ast.dump(subject) for a in handed)


def test_every_match_of_events_ends_in_one_that_takes_what_is_left():
    found = list(matches())
    assert len(found) > 10
    lax = [
        f"{path.relative_to(PACKAGE)}:{match.lineno}"
        for path, match in found
        if not is_handed_on(match.cases[-1], match.subject)
    ]
    assert lax == [], "end in `case _: assert_never(event)`"
