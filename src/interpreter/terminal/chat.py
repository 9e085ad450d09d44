"""The conversation: messages, commands and shell lines, until the user leaves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.assembly import SessionFactory
from interpreter.assembly.tool_servers.mentions import ToolMentions
from interpreter.protocol import safe_files
from interpreter.protocol.errors import InterpreterError, ModelError
from interpreter.protocol.events import (
    Event,
    Notice,
    OutputDelta,
    TurnFinished,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Display, Face, Message, Part, Text
from interpreter.protocol.values import frozen
from interpreter.session.loop import looped
from interpreter.session.session import Session
from interpreter.settings.loop_words import LOOP_BREAKERS, LOOP_MESSAGE
from interpreter.settings.settings import Settings
from interpreter.terminal.desk import Desk
from interpreter.terminal.loop import converse
from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS, paint

if TYPE_CHECKING:
    from interpreter.assembly.attempts import Attempt
    from interpreter.terminal.voice import TerminalVoice

OUTPUT_TOLD = 20_000  # characters of a shell line's output that the model is shown
FIRST = "first"  # the name of where tries begin
Read = Callable[[str], str]


@frozen
class ChatPlace:
    """Where the conversation goes on: at first, or in a try."""

    factory: SessionFactory
    session: Session
    settings: Settings


@dataclass(eq=False, repr=False)
class Chat:
    """One conversation in a terminal. Commands change it between turns."""

    desk: Desk
    factory: SessionFactory
    session: Session
    settings: Settings
    notices: list[str] = field(default_factory=list)
    """What the user should hear of as soon as there is room for it."""
    news: list[str] = field(default_factory=list)
    """What happened since the last message and the model should know."""
    leaving: bool = False
    voice: TerminalVoice | None = None
    """Listens and speaks, where that is wanted."""
    tries: dict[str, Attempt] = field(default_factory=dict)
    here: str = FIRST
    """The try that we are in."""
    _first: ChatPlace | None = None
    _draft: str = ""

    def __post_init__(self) -> None:
        """The desk may ask what the last block changed, in whatever try that was."""
        self.desk.diff = self._last_diff

    def _last_diff(self, paths: Collection[str]) -> str:
        kept = self.session.engine.checkpoints()
        done = [one.name for one in kept.list() if not one.undone]
        return kept.diff(done[-1], paths) if done else ""

    def say(self, text: str) -> TurnFinished:
        """One message and the turn it starts; a model that fails is shown, and the chat goes on."""
        if self.mentions.are_in(text):
            stop = Interrupt()
            with self.desk.attend(stop.request):
                self.news += self.mentions.read(text, stop)
        message = compose(text, self.news)
        self.news.clear()
        for part in message.parts:
            if isinstance(part, Display):
                self.desk.note(f"attached: {part.text}")
        return self.send(message)

    def send(self, message: Message) -> TurnFinished:
        """A message as it is, and its turn."""
        if self.settings.sandbox == "off":
            self.desk.note(_red("the sandbox is off", colourful=self.desk.colourful))
        events = self._with_notices(_without_model_errors(self._events(message)))
        if self.voice is not None:
            events = self.voice.spoken(events)
        with self.desk.attend(self.session.interrupt), contextlib.closing(events):
            end = self.desk.show(events)
        if self.settings.speak_messages and self.voice is None and end.end == "answered":
            self._speak(self.session.transcript[-1].text)
        return end

    def _events(self, message: Message) -> Generator[Event, None, None]:
        """The events of the turn; in loop mode, of all turns until the model says it is done."""
        events, settings = self.session.send(message), self.settings
        if not settings.loop:
            return events
        breakers = settings.loop_breakers or LOOP_BREAKERS
        return looped(self.session, events, settings.loop_message or LOOP_MESSAGE, breakers)

    def _speak(self, text: str) -> None:
        from interpreter.terminal.render.speech import speak  # noqa: PLC0415  (few want it)

        if not speak(text):
            self.desk.note("Nothing on this machine can speak; try: apt install espeak-ng")

    def talk(self) -> None:
        """Listen and speak as the settings say; what is missing is told, and the rest works."""
        if self.voice is not None:
            self.voice.close()
            self.voice = None
        if not (self.settings.voice or self.settings.speak_messages):
            return
        from interpreter.terminal.voice import TerminalVoice  # noqa: PLC0415  (few want it)

        voice = TerminalVoice(self.settings, self.notices.append)
        if voice.can_speak or voice.can_listen:
            self.voice = voice
        self.desk.answered_by_voice = voice.answering

    @property
    def listener(self) -> TerminalVoice | None:
        """Who listens at the prompt."""
        return self.voice if self.voice is not None and self.voice.can_listen else None

    def shell(self, line: str, *, tell: bool) -> str:
        """Run a line in the session's shell; with `tell` the model sees it with the next one."""
        output: list[str] = []
        stop = Interrupt()
        code = Code("shell", line)
        events = self.session.by_hand(code, self.factory.run(code, stop))
        shown = _collecting(events, output)
        with self.desk.attend(stop.request), contextlib.closing(shown):
            self.desk.show(shown)
        text = "".join(output)[-OUTPUT_TOLD:].rstrip()
        if tell:
            self.news.append(f"I ran `{line}` in the shell. Its output:\n```\n{text}\n```")
        return text

    def change(self, **values: Any) -> None:
        """Use other settings from the next turn on."""
        settings = replace(self.settings, **values)
        try:
            self.session.engine = self.factory.engine(settings)
        except InterpreterError:
            self.session.engine = self.factory.engine(self.settings)  # the old model was closed
            raise
        self.settings = settings

    def take(self, text: str) -> None:
        """Whatever was typed: a command, a shell line, or a message."""
        from interpreter.terminal.magics import table  # noqa: PLC0415  (commands use the chat)

        line = text.strip()
        if line.startswith("!!"):
            self.shell(line[2:].strip(), tell=True)
        elif line.startswith("!"):
            self.shell(line[1:].strip(), tell=False)
        elif line.startswith("%"):
            table.run_command(self, line)
        elif (command := self._user_command(line)) is not None:
            self.say(command)
        elif line:
            table.refuse_unknown(self, text)
            self.say(text)

    def _user_command(self, line: str) -> str | None:
        """The message that `/name arguments` stands for; None where no command has that name."""
        if line.startswith("/") and self.mentions.are_in(line):
            stop = Interrupt()
            with self.desk.attend(stop.request):
                return self.mentions.command(line, stop)
        name, _, arguments = line.partition(" ")
        if not name.startswith("/") or name[1:] not in self.factory.guidance.commands:
            return None
        from interpreter.guidance.commands import expanded  # noqa: PLC0415  (few lines are commands)

        command = self.factory.guidance.commands[name[1:]]
        return expanded(command, arguments.strip(), lambda line: self.shell(line, tell=False))

    @property
    def mentions(self) -> ToolMentions:
        """What can be typed about tool servers."""
        return ToolMentions(self.factory.environment.tool_servers)

    def suggestions(self) -> dict[str, str]:
        """What can be typed besides our own commands: `/name`, `/server:prompt`, `@server:uri`."""
        own = self.factory.guidance.commands.values()
        return {f"/{one.name}": one.description for one in own} | self.mentions.suggestions()

    def run(self, read: Read) -> None:
        """Take messages at the prompt until the user leaves."""
        converse(lambda: self.next(read), self.handle, self.desk.note)

    def next(self, read: Read) -> str:
        """A message that was finished while the last turn ran is the next one; else one is read."""
        line, ended, self._draft = (self._draft + self.desk.take_draft()).rpartition("\n")
        if ended and line.strip():
            self.desk.note(f"> {line}")
            return line
        draft, self._draft = self._draft, ""
        return read(draft)

    def handle(self, text: str) -> bool:
        """Take what was typed; errors of ours are shown. Whether the user wants to leave."""
        self.show_notices()
        try:
            self.take(text)
        except InterpreterError as error:
            self.desk.note(str(error))
        except KeyboardInterrupt:
            self.desk.note("Interrupted.")
        self.show_notices()
        return self.leaving

    def show_notices(self) -> None:
        """Say what had to wait."""
        while self.notices:
            self.desk.note(self.notices.pop(0))

    def _with_notices(self, events: Iterator[Event]) -> Generator[Event, None, None]:
        """A turn, and in it what the user should hear before the next thing happens."""
        for event in events:
            while self.notices:
                yield Notice(self.notices.pop(0), "warning")
            yield event

    # Trying several ways.

    @property
    def first(self) -> ChatPlace:
        """Where the tries began."""
        if self.here == FIRST or self._first is None:
            return ChatPlace(self.factory, self.session, self.settings)
        return self._first

    def go_to(self, name: str) -> None:
        """Go on in a try, or where the tries began."""
        self._first = self.first
        place = self._first if name == FIRST else self.tries[name]
        self.factory, self.session, self.settings = place.factory, place.session, place.settings
        self.desk.background = self.factory.background
        self.here = name

    def drop_tries(self) -> None:
        """Forget all tries that were not kept."""
        while self.tries:
            self.tries.popitem()[1].close()

    def close(self) -> None:
        """End everything that was started."""
        if self.voice is not None:
            self.voice.finish()
        if self.here != FIRST:
            self.go_to(FIRST)
        self.drop_tries()
        self.show_notices()
        self.factory.close(self.desk.note)  # at once: no prompt is on the screen any more
        self.show_notices()


def _without_model_errors(events: Iterator[Event]) -> Generator[Event, None, None]:
    with contextlib.suppress(ModelError):  # the TurnFinished before it has said why
        yield from events


def _collecting(events: Iterator[Event], output: list[str]) -> Generator[Event, None, None]:
    """A block run by hand as a turn of its own."""
    for event in events:
        if isinstance(event, OutputDelta):
            output.append(event.text)
        yield event
    yield TurnFinished("answered")


def _red(text: str, *, colourful: bool) -> str:
    return paint(text, (COLOURS if colourful else NO_COLOURS).bad)


PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
LARGEST_PICTURE = 20_000_000
MENTION = re.compile(r"(?<!\S)@(\"[^\"]+\"|'[^']+'|\S+)")
WORD = re.compile(r"\"[^\"\n]+\"|'[^'\n]+'|(?:\\ |\S)+")
LONGEST_PATH = 4_000


def compose(text: str, news: Sequence[str] = ()) -> Message:
    """The message of a text: the pictures it names are attached, `@file` becomes the path."""
    body = MENTION.sub(_mentioned, _without_quotes(text))
    pictures = [_picture(path) for path in dict.fromkeys(_picture_paths(body))]
    said = "\n\n".join([*news, body])
    parts: list[Part] = [Text(said), *(picture for picture in pictures if picture)]
    return Message("user", tuple(parts))


def _without_quotes(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith('"""'):
        return stripped.removeprefix('"""').removesuffix('"""').strip("\n")
    return text


def _mentioned(found: re.Match[str]) -> str:
    path = found[1].strip("\"'")
    return f'"{path}"' if _exists(path) and " " in path else path if _exists(path) else found[0]


def _exists(path: str) -> bool:
    try:
        return len(path) < LONGEST_PATH and Path(path).expanduser().exists()
    except (OSError, ValueError):
        return False


def _picture_paths(text: str) -> Iterator[Path]:
    """The paths of pictures in a text, as they are typed, pasted, or dropped by a terminal."""
    if not any(suffix in text.lower() for suffix in PICTURES):
        return
    for found in WORD.finditer(text):
        name = found[0].strip("\"'").replace("\\ ", " ").removeprefix("file://").rstrip(",;:?!")
        if Path(name).suffix.lower() in PICTURES and _exists(name):
            yield Path(name).expanduser()


def _picture(path: Path) -> Display | None:
    try:
        place = safe_files.named_by_user(path, Path.cwd())
        data = safe_files.read_bytes(place, LARGEST_PICTURE)
    except OSError:
        return None
    for signature, media_type in SIGNATURES.items():
        if data.startswith(signature):
            return Display((Face("text/plain", f"[picture {path.name}]"), Face(media_type, data)))
    return None
