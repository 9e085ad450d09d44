"""WAV files: read from strangers, who cut and mislabel them, and written as a stream."""

from __future__ import annotations

import struct
from array import array

from interpreter.protocol.values import frozen
from interpreter.protocol.voice import Sound, VoiceError

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
UNKNOWN_SIZE = 0xFFFFFFFF
MOST_CHANNELS = 32
RATES = (2_000, 384_000)
NOT_WAV = "This is not a WAV file; send sound as WAV (PCM), or record it again."
CUT = "The recording has no sound: its file ends before any."
FORMAT = "This kind of WAV file is not known; save it as PCM with 16 bits."


@frozen
class Format:
    """How samples are kept."""

    kind: int
    channels: int
    rate: int
    bits: int


def header(rate: int, size: int = UNKNOWN_SIZE) -> bytes:
    """What stands before the samples; while a stream runs, nobody knows how many there will be."""
    whole = size if size == UNKNOWN_SIZE else size + 36
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", whole, b"WAVE", b"fmt ", 16, PCM, 1, rate, rate * 2, 2, 16, b"data", size),
    )


def as_wav(sound: Sound) -> bytes:
    """A sound as a file."""
    return header(sound.rate, len(sound.samples)) + sound.samples


def read_wav(data: bytes) -> Sound:
    """The sound in a file, as one channel; of a file that was cut, what there is."""
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        raise VoiceError(NOT_WAV)
    found: Format | None = None
    at = 12
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if name == b"data":
            if found is None:
                raise VoiceError(FORMAT)
            return _sound(found, data[at + 8 : at + 8 + size])
        if name == b"fmt " and at + 8 + size > len(data):
            break
        if name == b"fmt ":
            found = _format(data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    raise VoiceError(CUT)


def _format(data: bytes) -> Format:
    if len(data) < 16:
        raise VoiceError(FORMAT)
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", data)
    if kind == EXTENSIBLE and len(data) >= 26:
        kind = int.from_bytes(data[24:26], "little")
    known = (kind == PCM and bits in (8, 16, 24, 32)) or (kind == FLOAT and bits in (32, 64))
    if not known or not 1 <= channels <= MOST_CHANNELS or not RATES[0] <= rate <= RATES[1]:
        raise VoiceError(FORMAT)
    return Format(kind, channels, rate, bits)


def _sound(form: Format, data: bytes) -> Sound:
    width = form.bits // 8 * form.channels
    data = data[: len(data) // width * width]
    if not data:
        raise VoiceError(CUT)
    if (form.kind, form.channels, form.bits) == (PCM, 1, 16):
        return Sound(data, form.rate)
    from interpreter.voice.samples import mixed_down  # noqa: PLC0415  (needs numpy)

    return Sound(mixed_down(form, data), form.rate)


def loudest(samples: bytes) -> float:
    """The highest sample, from 0 to 1."""
    values = array("h", samples[: len(samples) // 2 * 2])
    return max(map(abs, (min(values), max(values)))) / 32_768 if values else 0.0
