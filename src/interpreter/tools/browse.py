"""A look at the variables of a session and at pages of its tables, which nobody sees in a chat."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.errors import TransferFailed
from interpreter.protocol.events import ExecutionFinished, RuntimeEvent
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.messages import Code

LARGEST = 32 << 20
MOST_VALUES = 2_000_000
PROGRAM = INSIDE / "variables" / "browse.py"
Run = Callable[[Code], Iterable[RuntimeEvent]]


class VariableBrowser:
    """Runs a program of ours in the session's Python; what it writes is read as hostile."""

    def __init__(self, run: Run, exchange: Path) -> None:
        self._run = run
        self._exchange = exchange

    def variables(self, block: int) -> dict[str, Any]:
        """Every variable, with what it is; `block` tells one state from the next."""
        return self._asked(f"b.variables(globals(), {block})")

    def page(self, name: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Some rows of the table with this name."""
        if not name.isidentifier():
            raise TransferFailed(f"{name!r} is no variable.")
        return self._asked(f"b.page(globals()[{name!r}], {asked!r})")

    def _asked(self, call: str) -> dict[str, Any]:
        path = self._exchange / f"browse-{secrets.token_hex(8)}.json"
        source = PROGRAM.read_text(encoding="utf-8")
        look = (  # one statement that leaves no name behind
            f"(lambda s: (lambda b, p: p.write_text({call}))("
            "s.modules.get('_reploop_browse') or (lambda m: ("
            f"exec(compile({source!r}, 'browse', 'exec'), m.__dict__), "
            "s.modules.__setitem__('_reploop_browse', m), m)[-1])"
            "(__import__('types').ModuleType('_reploop_browse')), "
            f"__import__('pathlib').Path({str(path)!r})) and None)(__import__('sys'))"
        )
        try:
            self._finish(look)
            found = bounded_json(safe_files.read_bytes(path, LARGEST), MOST_VALUES)
        except (OSError, ValueError, RecursionError) as error:
            raise TransferFailed(f"What arrived cannot be read: {error}.") from error
        finally:
            safe_files.remove(path)
        if not isinstance(found, dict) or "problem" in found:
            reason = found.get("problem") if isinstance(found, dict) else "it is no object."
            raise TransferFailed(str(reason)[:300])
        return found

    def _finish(self, source: str) -> None:
        for event in self._run(Code("python", source)):
            if isinstance(event, ExecutionFinished) and event.outcome != "ok":
                missing = event.summary.startswith("KeyError")
                what = "There is no such variable." if missing else event.summary or event.outcome
                raise TransferFailed(what)
