"""Pick a kept session: type to search, arrows to move, Enter to go on, with a look at each."""

from __future__ import annotations

import sys
import time

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Message
from interpreter.protocol.visible import visible
from interpreter.session.store.database import Store
from interpreter.session.store.session_list import SessionInfo
from interpreter.settings.paths import data_directory
from interpreter.terminal.render.ansi import crop, tame_plain

MOST = 200
LISTED = 10
PREVIEW = 8


def pick_session() -> str:
    """The id of the session that the user picks; empty when none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigurationError(
            "There is no terminal to pick in; use --resume ID or --resume last."
        )
    store = Store(data_directory())
    try:
        picker = Picker(store)
        if not picker.found:
            raise ConfigurationError("No session is kept yet.")
        return _run(picker)
    finally:
        store.close()


class Picker:
    """What is listed and which one is chosen, for a search as it is typed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._all = store.list(MOST)
        self.found: tuple[SessionInfo, ...] = self._all
        self.chosen = 0

    def search(self, words: str) -> None:
        """Narrow the list: by title, and by what was said."""
        wanted = words.lower().split()
        hits = self._store.containing(wanted) if wanted else frozenset()
        self.found = tuple(
            info
            for info in self._all
            if info.id in hits or all(word in info.title.lower() for word in wanted)
        )
        self.chosen = 0

    def move(self, by: int) -> None:
        """Choose another one."""
        self.chosen = max(0, min(len(self.found) - 1, self.chosen + by))

    def lines(self, width: int) -> list[tuple[str, str]]:
        """The list and the preview, as (style, line)."""
        first = max(0, self.chosen - LISTED + 1)
        shown = []
        for place, info in enumerate(self.found[first : first + LISTED], first):
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated))
            style = "reverse" if place == self.chosen else ""
            text = f"{when}  {info.messages:4} messages  {visible(info.title)}"
            shown.append((style, crop(text, width)))
        shown += [("", "")] + [("italic", line) for line in self._preview(width)]
        return shown or [("", "nothing found")]

    def _preview(self, width: int) -> list[str]:
        if not self.found:
            return ["nothing found"]
        kept = self._store.messages(self.found[self.chosen].id)
        messages = [message for message in kept if not message.is_private]
        lines = [line for message in messages[-4:] for line in _brief(message)]
        return [crop(line, width) for line in lines[-PREVIEW:]]


def _brief(message: Message) -> list[str]:
    mark = "> " if message.role == "user" else "  "
    text = message.text or "".join(getattr(part, "text", "") for part in message.parts)
    return [mark + tame_plain(line) for line in text.strip().split("\n")[:4] if line.strip()]


def _run(picker: Picker) -> str:
    from prompt_toolkit.application import Application  # noqa: PLC0415  (a real terminal)
    from prompt_toolkit.buffer import Buffer  # noqa: PLC0415
    from prompt_toolkit.formatted_text import StyleAndTextTuples  # noqa: PLC0415
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent  # noqa: PLC0415
    from prompt_toolkit.layout import HSplit, Layout, Window  # noqa: PLC0415
    from prompt_toolkit.layout.controls import (  # noqa: PLC0415
        BufferControl,
        FormattedTextControl,
    )
    from prompt_toolkit.layout.processors import BeforeInput  # noqa: PLC0415

    keys = KeyBindings()

    @keys.add("up")
    def _up(event: KeyPressEvent) -> None:
        picker.move(-1)

    @keys.add("down")
    def _down(event: KeyPressEvent) -> None:
        picker.move(1)

    @keys.add("enter")
    def _take(event: KeyPressEvent) -> None:
        if picker.found:
            event.app.exit(result=picker.found[picker.chosen].id)

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    @keys.add("c-d")
    def _leave(event: KeyPressEvent) -> None:
        event.app.exit(result="")

    def listed() -> StyleAndTextTuples:
        width = application.output.get_size().columns - 1
        return [(style, line + "\n") for style, line in picker.lines(width)]

    words = Buffer(multiline=False, on_text_changed=lambda buffer: picker.search(buffer.text))
    search = BufferControl(words, input_processors=[BeforeInput("search: ")])
    height = LISTED + PREVIEW + 1
    view = HSplit([Window(search, height=1), Window(FormattedTextControl(listed), height=height)])
    application: Application[str] = Application(
        layout=Layout(view), key_bindings=keys, full_screen=True
    )
    return application.run()
