"""`/v1/audio/transcriptions` and `/v1/audio/speech`: what was said, and how something sounds."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from interpreter.assembly.voice import open_ear, open_mouth
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.voice import EAR_RATE, Heard, Sound
from interpreter.server.errors import Refused
from interpreter.server.openai.chat import json_of, openai_error
from interpreter.settings.settings import Settings

LONGEST_TEXT = 4096  # characters, as OpenAI has it
SPEECH_RATE = 24_000  # of `pcm`, as OpenAI has it
FORMATS = {"wav": "audio/wav", "pcm": "audio/pcm"}
AT_ONCE = 4  # who listen or speak at the same time; the next ones wait
MOST_WAITING = 16


class Audio:
    """Both requests, of a few people at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def transcriptions(self, request: Request) -> Response:
        """The words in a recording."""
        try:
            async with request.form(max_files=1, max_fields=12) as form, self._turn():
                sound = await asyncio.to_thread(_sound, await _file(form))
                language = _word(form, "language")
                if _word(form, "stream").lower() in ("true", "1"):
                    return self._streamed(sound, language)
                words = await asyncio.to_thread(self.words_in, sound, language)
        except (Refused, InterpreterError) as error:
            return openai_error(error)
        if _word(form, "response_format") == "text":
            return PlainTextResponse(words)
        return JSONResponse({"text": words})

    def words_in(self, sound: Sound, language: str = "") -> str:
        """All words of a recording."""
        return [heard.text for heard in self._hear(sound, language)][-1]

    async def speech(self, request: Request) -> Response:
        """A text as sound, from its first sentence on."""
        try:
            body = await json_of(request)
            text, kind, speed = _asked(body)
            sounds = self.say(text, speed)
            async with self._turn():
                first = await asyncio.to_thread(next, sounds, None)
        except (Refused, InterpreterError) as error:
            return openai_error(error)
        return StreamingResponse(_pieces(kind, first, sounds), media_type=FORMATS[kind])

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._waiting >= MOST_WAITING:
            raise Refused(503, "busy", "Too many are listening or speaking; try again soon.")
        self._waiting += 1
        try:
            async with self._free:
                yield
        finally:
            self._waiting -= 1

    def _hear(self, sound: Sound, language: str) -> Iterator[Heard]:
        from interpreter.voice.samples import resampled  # noqa: PLC0415  (needs the extra)

        ear = open_ear(self._settings)
        samples = resampled(sound).samples
        second = 2 * EAR_RATE
        frames = (samples[at : at + second] for at in range(0, len(samples), second))
        yield from ear.hear(frames, language or self._settings.voice_language)

    def _streamed(self, sound: Sound, language: str) -> Response:
        async def lines() -> AsyncIterator[str]:
            heard, before = self._hear(sound, language), ""
            while (now := await asyncio.to_thread(next, heard, None)) is not None:
                if now.text.startswith(before) and now.text != before:
                    delta = now.text[len(before) :]
                    yield _event({"type": "transcript.text.delta", "delta": delta})
                    before = now.text
                if now.final:
                    yield _event({"type": "transcript.text.done", "text": now.text})

        return StreamingResponse(lines(), media_type="text/event-stream")

    def say(self, text: str, speed: float = 1.0) -> Iterator[Sound]:
        """The sound of a text, at the rate of this form."""
        from interpreter.voice.samples import resampled  # noqa: PLC0415

        mouth = open_mouth(self._settings, lambda note: None)
        for sound in mouth.say(text, "", speed):
            yield resampled(sound, SPEECH_RATE)


async def _pieces(kind: str, first: Sound | None, rest: Iterator[Sound]) -> AsyncIterator[bytes]:
    """The samples as they come; who leaves ends the speaking."""
    from interpreter.voice.wav import header  # noqa: PLC0415

    if kind == "wav":
        yield header(SPEECH_RATE)
    sound = first
    while sound is not None:
        yield sound.samples
        sound = await asyncio.to_thread(next, rest, None)


def _event(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event)}\n\n"


async def _file(form: FormData) -> bytes:
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise Refused(400, "invalid", "There must be a 'file' with a recording.")
    return await file.read()


def _sound(data: bytes) -> Sound:
    from interpreter.voice.wav import read_wav  # noqa: PLC0415

    return read_wav(data)


def _word(form: FormData, name: str) -> str:
    value = form.get(name, "")
    if not isinstance(value, str) or len(value) > 100:
        raise Refused(400, "invalid", f"{name!r} must be a word.")
    return value.strip()


def _asked(body: dict[str, Any]) -> tuple[str, str, float]:
    text, kind = body.get("input"), body.get("response_format", "wav")
    speed = body.get("speed", 1.0)
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT:
        raise Refused(400, "invalid", f"'input' must be a text of 1 to {LONGEST_TEXT} characters.")
    if kind not in FORMATS:
        raise Refused(400, "invalid", f"'response_format' is one of {', '.join(FORMATS)}.")
    if not isinstance(speed, int | float) or not 0.25 <= speed <= 4:
        raise Refused(400, "invalid", "'speed' must be a number from 0.25 to 4.")
    return text, str(kind), float(speed)
