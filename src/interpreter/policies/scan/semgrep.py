"""Semgrep as one more scanner, where it is installed: our own rules, no network, no telemetry."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from interpreter.policies.rules import canonical
from interpreter.protocol.actions import Finding
from interpreter.protocol.system.host_programs import find_program

RULES = Path(__file__).with_name("semgrep_rules.yaml")
_SUFFIXES = {"python": ".py", "javascript": ".js", "shell": ".sh"}
_OPTIONS = ("--metrics=off", "--disable-version-check", "--quiet", "--json", "--no-git-ignore")
_MOST = 20


class Semgrep:
    """Callable like a scanner; finds nothing when semgrep fails: the built-in scan has run too."""

    def __init__(self, program: str, *, rules: Path = RULES, seconds: float = 30) -> None:
        self._program = program
        self._rules = rules
        self._seconds = seconds

    def __call__(self, language: str, source: str) -> tuple[Finding, ...]:
        """What semgrep finds in a block."""
        suffix = _SUFFIXES.get(canonical(language))
        if suffix is None:
            return ()
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, f"block{suffix}")
            file.write_text(source, encoding="utf-8", errors="replace")
            return _findings(self._run(file))

    def _run(self, file: Path) -> str:
        command = [self._program, "scan", *_OPTIONS, "--config", str(self._rules), str(file)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=self._seconds, cwd=file.parent
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout


def find_semgrep(*cell_places: Path) -> Semgrep | None:
    """The installed semgrep, if there is one; code must not bring the one that judges it."""
    program = find_program("semgrep", *cell_places)
    return Semgrep(program) if program else None


def _findings(text: str) -> tuple[Finding, ...]:
    try:
        results = json.loads(text)["results"][:_MOST]
        return tuple(
            Finding(
                int(found["start"]["line"]),
                str(found["check_id"]).rpartition(".")[2],
                str(found["extra"]["message"]).strip(),
            )
            for found in results
        )
    except (ValueError, KeyError, TypeError):
        return ()
