"""HTML: nothing runs; the page is shown to the person, and the model learns that it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from interpreter.protocol.events import DisplayShown, ExecutionFinished, RuntimeEvent
from interpreter.protocol.messages import Display, Face
from interpreter.protocol.ports import Answerer, Language, Launch, nobody_answers

HTML = Language("html", ("htm",), ".html")


def html(launch: Launch, exchange: Path) -> Html:
    """The runtime of the language HTML."""
    return Html()


class Html:
    """Shows each block as a page."""

    language = HTML

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Show the page."""
        words = Face("text/plain", f"(a page of {len(source)} characters is shown to the user)")
        yield DisplayShown(Display((words, Face("text/html", source))))
        yield ExecutionFinished("ok")

    def interrupt(self) -> None:
        """Nothing runs."""

    def restart(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""
