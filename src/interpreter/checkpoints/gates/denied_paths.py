"""The user's rules about paths, for what is not there yet when the cell's view is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from interpreter.checkpoints.journal.recorder import ChangeRefused
from interpreter.protocol.system.program_rules import shown
from interpreter.protocol.values import frozen


@frozen
class DeniedPath:
    """A rule: as the user wrote it, as an expression, and the directory that it begins with."""

    text: str
    expression: str
    start: str


class DeniedPaths:
    """Refuses changes of paths that rules deny."""

    def __init__(self, rules: Iterable[DeniedPath], tell: Callable[[str], None]) -> None:
        self._rules = [(re.compile(rule.expression), rule) for rule in rules]
        self._tell = tell

    def check(self, path: str, *, arrives: bool = False) -> None:
        """Refused if a rule denies the path; or something below it, where a tree arrives."""
        for expression, rule in self._rules:
            if expression.match(path) or (arrives and rule.start.startswith(f"{path}/")):
                self._tell(f"the rule `deny {rule.text}` refused to change {shown([path])}")
                raise ChangeRefused(path)
