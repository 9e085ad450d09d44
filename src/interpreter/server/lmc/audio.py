"""Audio frames as 01's clients know them: what is spoken becomes a message, an answer sound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator

from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.voice import EAR_RATE, Sound
from interpreter.server.errors import Refused
from interpreter.server.lmc.pipe import Chunk

LONGEST = 32 << 20  # bytes of one message
Words = Callable[[Sound], str]
"""What is said in a sound."""
Say = Callable[[str], Iterator[Sound]]
"""How a text sounds."""
SOUND: Chunk = {"role": "assistant", "type": "audio", "format": "bytes.wav"}


class AudioFrames:
    """Gathers what is spoken; what is said is given back as chunks of a written message."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._data = bytearray()
        self._format = ""
        self._open = False

    def takes(self, chunk: Chunk) -> bool:
        """Whether it is sound: it says so, or it is bytes within what has said so."""
        return chunk.get("type") == "audio" or (
            self._open and isinstance(chunk.get("content"), bytes)
        )

    async def message(self, chunk: Chunk) -> Chunk | None:
        """Take a chunk; the message in words when it is over, None before."""
        if chunk.get("start"):
            self._open, self._format = True, str(chunk.get("format", ""))
            self._data.clear()
        content = chunk.get("content", b"")
        if isinstance(content, bytes):
            self._data += content
        if len(self._data) > LONGEST:
            self._close()
            raise Refused(413, "too_large", f"A spoken message has at most {LONGEST:,} bytes.")
        if not chunk.get("end"):
            return None
        data, kind = self._close()
        try:
            text = await asyncio.to_thread(self._heard, data, kind)
        except InterpreterError as error:
            raise Refused(422, "refused", str(error)) from error
        if not text:
            raise Refused(422, "refused", "Nothing was heard.")
        return {"role": "user", "type": "message", "content": text, "start": True, "end": True}

    def _close(self) -> tuple[bytes, str]:
        data, kind = bytes(self._data), self._format
        self._data.clear()
        self._open, self._format = False, ""
        return data, kind

    def _heard(self, data: bytes, kind: str) -> str:
        from interpreter.voice.wav import read_wav  # noqa: PLC0415  (few speak)

        is_wav = kind.endswith("wav") or data[:4] == b"RIFF"
        if not data:
            return ""
        return self._words(
            read_wav(data) if is_wav else Sound(data[: len(data) // 2 * 2], EAR_RATE)
        )


def with_sound(
    chunks: Iterable[Chunk], say: Say, is_stopping: Callable[[], bool]
) -> Generator[Chunk, None, None]:
    """An answer whose sentences are followed by their sound, each a whole WAV; code is not read."""
    from interpreter.voice.sentences import Sentences  # noqa: PLC0415  (few speak)

    stream = Sentences()
    for chunk in chunks:
        yield chunk
        if (chunk.get("role"), chunk.get("type")) == ("assistant", "message"):
            ended = chunk.get("end")
            sentences = stream.close() if ended else stream.add(chunk.get("content", ""))
            for sentence in sentences:
                yield from _frames(sentence, say) if not is_stopping() else ()


def _frames(sentence: str, say: Say) -> Iterator[Chunk]:
    from interpreter.voice.wav import as_wav  # noqa: PLC0415

    try:
        for sound in say(sentence):
            yield {**SOUND, "start": True}
            yield {**SOUND, "content": as_wav(sound)}
            yield {**SOUND, "end": True}
    except InterpreterError as error:
        yield {"role": "server", "type": "error", "content": str(error)}
