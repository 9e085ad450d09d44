"""What code in this process shows: by the notebook's own display system where there is one."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.messages import Display, Face
from interpreter.runtimes.kernel.block import faces_of, published
from interpreter.runtimes.kernel.wire import Incoming

Put = Callable[[RuntimeEvent], None]


def notebook() -> Any | None:
    """The IPython shell of this process, if it is one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def as_display(value: Any) -> Display | None:
    """How a value looks; None for one that showed itself."""
    shell = notebook()
    if shell is None:
        return Display((Face("text/plain", repr(value)),))
    data, _ = shell.display_formatter.format(value)
    faces = faces_of({kind: _as_text(content) for kind, content in data.items()})
    return Display(faces) if faces else None


@contextmanager
def displays_to(put: Put) -> Iterator[None]:
    """What this thread displays in a Jupyter kernel becomes events, and is not shown twice."""
    publisher: Any = getattr(notebook(), "display_pub", None)
    if not hasattr(publisher, "register_hook"):
        yield
        return

    def take(message: dict[str, Any]) -> dict[str, Any] | None:
        event = published(Incoming("iopub", message["msg_type"], "", message["content"], {}))
        if event is None:
            return message
        put(event)
        return None

    publisher.register_hook(take)
    try:
        yield
    finally:
        publisher.unregister_hook(take)


def _as_text(content: Any) -> Any:
    return base64.b64encode(content).decode("ascii") if isinstance(content, bytes) else content
