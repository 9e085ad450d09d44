"""Ears and mouths of a server that speaks OpenAI's form of audio: somebody else's, or your own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen
from interpreter.protocol.voice import EAR_RATE, Heard, Sound, VoiceError
from interpreter.voice.sentences import sentences
from interpreter.voice.wav import as_wav

TIMEOUT = httpx.Timeout(120, connect=10)
RATE = 24_000  # of `pcm`, as this form has it
MOST_TAKEN = 25 << 20  # bytes of a recording; these servers take no more
MOST_SAID = 64 << 20
MOST_WORDS = 100_000


@frozen
class AudioServer:
    """Where such a server is, and as whom we ask it."""

    base: str
    key: str = ""
    model: str = ""


class HostedEar:
    """Sends a recording away when it is over; what comes back are its words."""

    def __init__(self, server: AudioServer) -> None:
        self.name = server.model
        self._server = server

    def prepare(self) -> None:
        """There is nothing to load."""

    def hear(self, frames: Iterable[bytes], language: str = "") -> Iterator[Heard]:
        """The words, all at once."""
        samples = bytearray()
        for frame in frames:
            samples += frame
            if len(samples) > MOST_TAKEN:
                raise VoiceError("The recording is too long for that server; cut it into parts.")
        data = {"model": self.name, "response_format": "json"}
        data |= {"language": language} if language else {}
        file = ("speech.wav", as_wav(Sound(bytes(samples), EAR_RATE)), "audio/wav")
        with _asked(self._server, "/audio/transcriptions", data=data, files={"file": file}) as said:
            body = b"".join(_bounded(said, 4 * MOST_WORDS))
        yield Heard(_text(body), final=True)


class HostedMouth:
    """Has each sentence said by a server."""

    def __init__(self, server: AudioServer, voice: str = "") -> None:
        self.name = server.model
        self._server = server
        self._voice = voice or "alloy"

    def prepare(self) -> None:
        """There is nothing to load."""

    def hush(self) -> None:
        """What was asked for is not heard."""

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """Sentence by sentence."""
        for sentence in sentences(text):
            asked = {
                **{"model": self.name, "input": sentence, "voice": self._voice},
                **{"response_format": "pcm", "speed": speed},
            }
            with _asked(self._server, "/audio/speech", json=asked) as said:
                samples = b"".join(_bounded(said, MOST_SAID))
            yield Sound(samples[: len(samples) // 2 * 2], RATE)


@contextmanager
def _asked(server: AudioServer, path: str, **content: Any) -> Iterator[httpx.Response]:
    """An answer within a block; whatever goes wrong is one sentence."""
    headers = {"authorization": f"Bearer {server.key}"} if server.key else {}
    url = f"{server.base.rstrip('/')}{path}"
    try:
        with httpx.stream("POST", url, headers=headers, timeout=TIMEOUT, **content) as answer:
            if answer.status_code >= 400:
                where = f"{server.base} answers {answer.status_code}"
                raise VoiceError(f"{where} for {server.model!r}; look at its name and the key.")
            yield answer
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise VoiceError(f"No answer from {server.base}: {reason}.") from error


def _bounded(answer: httpx.Response, most: int) -> Iterator[bytes]:
    taken = 0
    for piece in answer.iter_bytes(8192):
        taken += len(piece)
        if taken > most:
            raise VoiceError("The server sends more than anybody could say.")
        yield piece


def _text(body: bytes) -> str:
    try:
        answer = bounded_json(body, 1000)
        text = answer["text"] if isinstance(answer, dict) else ""
    except (ValueError, RecursionError, KeyError) as error:
        raise VoiceError("The server's answer has no text.") from error
    return str(text)[:MOST_WORDS].strip()
