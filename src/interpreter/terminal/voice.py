"""Talking in the terminal: what is heard goes into the prompt, answers are read aloud."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Generator, Iterator

from interpreter.assembly.voice import open_ear, open_mouth
from interpreter.protocol.events import (
    ActionProposed,
    ApprovalRequested,
    CodeDelta,
    Event,
    ExecutionFinished,
    TextDelta,
    TurnFinished,
)
from interpreter.protocol.messages import Code
from interpreter.protocol.voice import Ear, Heard, VoiceError
from interpreter.settings.settings import Settings
from interpreter.voice.barge_in import Interruption, after_the_voice
from interpreter.voice.devices import Loudspeaker, Microphone
from interpreter.voice.sentences import Sentences
from interpreter.voice.speaker import Speaker
from interpreter.voice.turns import one_turn

ENDS = (CodeDelta, ActionProposed, ApprovalRequested, TurnFinished)  # of what is being said
PATIENCE = 60.0  # seconds that a turn waits for the first word
YES = frozenset(["yes", "yes please", "run it", "go ahead", "do it", "ok", "okay", "sure"])
NO = frozenset(["no", "no thanks", "stop", "don't", "do not", "cancel"])
MAY_I = "May I run this code?"
BY_KEY = "This one needs a key."
FAILED = "The code failed."


class Stop(threading.Event):
    """The end of listening."""

    unwanted = False
    """Whether nobody waits for the words any more."""


class TerminalVoice:
    """An ear, a mouth, and the devices they use; whichever is missing is told once."""

    def __init__(self, settings: Settings, tell: Callable[[str], object]) -> None:
        self.hands_free = settings.hands_free
        self._language = settings.voice_language
        self._tell = tell
        self._ear: Ear | None = None
        self._microphone: Microphone | None = None
        self._speaker: Speaker | None = None
        self._stop = Stop()
        self._listening: threading.Thread | None = None
        if not settings.voice:
            with contextlib.suppress(VoiceError):  # the system's own way to speak comes next
                self._speaker = Speaker(open_mouth(settings, tell), Loudspeaker(), tell)
            return
        try:
            self._speaker = Speaker(open_mouth(settings, tell), Loudspeaker(), tell)
        except VoiceError as error:
            tell(str(error))
        try:
            self._microphone, self._ear = Microphone(), open_ear(settings)
        except VoiceError as error:
            tell(str(error))
        # No daemon: a process that ends while a network loads would be aborted by its engine.
        threading.Thread(target=self._prepare, name="prepare").start()

    def _prepare(self) -> None:
        """Load both while nobody waits; what goes wrong is told when they are used."""
        with contextlib.suppress(VoiceError):
            if self._ear is not None:
                self._ear.prepare()
            if self._speaker is not None:
                self._speaker.prepare()

    @property
    def can_listen(self) -> bool:
        """Whether there is a microphone program and an ear."""
        return self._ear is not None and self._microphone is not None

    @property
    def can_speak(self) -> bool:
        """Whether there is a mouth and something to play it with."""
        return self._speaker is not None

    @property
    def is_listening(self) -> bool:
        """Whether it listens now."""
        return self._listening is not None and self._listening.is_alive()

    # Listening.

    def listen(self, heard: Callable[[Heard], None], failed: Callable[[str], object]) -> None:
        """Begin to listen; `heard` is told words as they come, from another thread.

        Whoever begins to talk is not talked over. Hands-free, it begins when all has been said, or
        when somebody talks over it.
        """
        if not self.can_listen or (self.is_listening and not self._stop.is_set()):
            return
        if not self.hands_free:
            self.be_silent()
        before, stop = self._listening, Stop()

        def wanted(words: Heard) -> None:
            if not stop.unwanted:
                heard(words)

        work = lambda: self._listen(before, stop, wanted, failed)  # noqa: E731
        self._stop = stop
        self._listening = threading.Thread(target=work, name="listen", daemon=True)
        self._listening.start()

    def enough(self) -> None:
        """What has been said so far is all."""
        self._stop.set()

    def forget(self) -> None:
        """Listen no more; nobody wants what has been said."""
        self._stop.unwanted = True
        self._stop.set()

    def _listen(
        self,
        before: threading.Thread | None,
        stop: Stop,
        heard: Callable[[Heard], None],
        failed: Callable[[str], object],
    ) -> None:
        assert self._ear is not None
        assert self._microphone is not None
        if before is not None:
            before.join()  # there is one microphone
        try:
            frames = self._microphone.frames(stop)
            with contextlib.closing(frames):
                turn = self._turn(frames) if self.hands_free else frames
                for words in self._ear.hear(turn, self._language):
                    heard(words)
        except VoiceError as error:
            failed(str(error))

    def _turn(self, frames: Iterator[bytes]) -> Iterator[bytes]:
        """What somebody says when all has been said, or over it: then the voice is silent."""
        if (speaker := self._speaker) is not None:
            talked_over = Interruption(speaker.loudness)
            frames = after_the_voice(frames, lambda: speaker.is_silent, speaker.stop, talked_over)
        return one_turn(frames, patience=PATIENCE)

    # Speaking.

    def say(self, text: str) -> None:
        """Say this after what is being said."""
        if self._speaker is not None:
            self._speaker.say(text)

    def be_silent(self) -> None:
        """Stop speaking now."""
        if self._speaker is not None:
            self._speaker.stop()

    def finish(self) -> None:
        """Wait until all has been said; Ctrl-C ends it."""
        try:
            if self._speaker is not None:
                self._speaker.wait()
        finally:
            self.close()

    def close(self) -> None:
        """Neither listen nor speak any more."""
        self.forget()
        if self._speaker is not None:
            self._speaker.close()

    def spoken(self, events: Iterator[Event]) -> Generator[Event, None, None]:
        """A turn whose words are read aloud, sentence by sentence as they come; never its code."""
        stream = Sentences()
        for event in events:
            yield event
            if isinstance(event, TextDelta):
                self._say_all(stream.add(event.text))
            elif isinstance(event, ExecutionFinished) and event.outcome == "failed":
                self.say(FAILED)
            elif isinstance(event, ENDS):
                self._say_all(stream.close())
                stream = Sentences()

    def _say_all(self, sentences: Iterator[str]) -> None:
        for sentence in sentences:
            self.say(sentence)

    # Approving.

    @contextlib.contextmanager
    def answering(self, request: ApprovalRequested, press: Callable[[str], None]) -> Iterator[None]:
        """Within this, a spoken yes or no is a key; a yes only to what the scan calls harmless."""
        if not (self.hands_free and self.can_listen):
            yield
            return
        harmless = is_harmless(request)
        self.say(MAY_I if harmless else f"{MAY_I} {BY_KEY}")

        def heard(words: Heard) -> None:
            key = spoken_key(words.text) if words.final else ""
            if key == "y" and not harmless:
                self.say(BY_KEY)
            elif key:
                press(key)

        self.listen(heard, self._tell)
        try:
            yield
        finally:
            self.forget()


def spoken_key(text: str) -> str:
    """The key that some words stand for; empty where they are neither a yes nor a no."""
    words = " ".join(re.findall(r"[\w']+", text.lower()))
    return "y" if words in YES else "s" if words in NO else ""


def is_harmless(request: ApprovalRequested) -> bool:
    """Whether nothing speaks against it: no reason, no finding, and a scan that understands it."""
    from interpreter.policies.approvals import full_scan  # noqa: PLC0415  (parsers load slowly)
    from interpreter.policies.scan.code_scan import can_scan  # noqa: PLC0415

    action = request.action
    if not isinstance(action, Code) or not request.proposed:
        return False
    if request.reason or request.findings or not can_scan(action.language):
        return False
    return not full_scan(action, None)
