"""What is code and what is data: a value that a model wrote into a block of code is not run."""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterable

from interpreter.models.small.form.printed import data_in
from interpreter.models.small.parsed import parsed
from interpreter.protocol.events import ActionProposed, CodeDelta, ModelEvent, TextDelta
from interpreter.protocol.messages import Code

BEGINNINGS = tuple("{[('\"-+.0123456789")
DATA_LANGUAGES = frozenset({"json", "csv", "text", "txt", "output", "plaintext", "markdown"})


def without_data(
    events: Iterable[ModelEvent], printed: str = ""
) -> Generator[ModelEvent, None, None]:
    """A reply in which a block that only is a value, or repeats what was printed, is text.

    Code is passed on as it comes, once it cannot be a mere value any more.
    """
    held: list[CodeDelta] = []
    for event in events:
        if isinstance(event, CodeDelta):
            held.append(event)
            begun = "".join(piece.text for piece in held).strip()
            if not printed and begun and not begun.startswith(BEGINNINGS):
                yield from held
                held.clear()
            continue
        said = data_of(event, printed)
        if said:
            yield TextDelta(said)
        else:
            yield from (*held, event)
        held.clear()
    yield from held


def data_of(event: ModelEvent, printed: str) -> str:
    """The value that a proposed block is, as text; nothing where there is something to run."""
    if not isinstance(event, ActionProposed) or not isinstance(event.action, Code):
        return ""
    source = event.action.source.strip()
    if event.action.language in DATA_LANGUAGES or data_in(source) is not None:
        return source
    return printed.strip() if _repeats(source, printed) else ""


def _repeats(source: str, printed: str) -> bool:
    """Whether a block is nothing but lines that were printed, or prints nothing but those."""
    known = {line.strip() for line in printed.splitlines() if line.strip()}
    if not known or not source:
        return False
    if {line.strip() for line in source.splitlines() if line.strip()} <= known:
        return True
    statements = parsed(source).body
    texts = [text for statement in statements for text in _printed_constants(statement)]
    return bool(texts) and all(text.strip() in known for text in texts)


def _printed_constants(statement: ast.stmt) -> list[str]:
    """What a statement prints that stands in it; a mark nobody prints where it does more."""
    match statement:
        case ast.Expr(ast.Call(ast.Name("print"), [ast.Constant(value)], [])):
            return [str(value)]
        case _:
            return ["\0"]
