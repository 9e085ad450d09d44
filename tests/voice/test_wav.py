import io
import math
import struct
import wave

import pytest

from interpreter.protocol.voice import Sound, VoiceError
from interpreter.voice.samples import as_floats, resampled
from interpreter.voice.wav import as_wav, header, read_wav

TONE = struct.pack(
    "<1600h", *(round(12_000 * math.sin(2 * math.pi * 440 * n / 16_000)) for n in range(1600))
)


def wav(samples=TONE, *, rate=16_000, channels=1, width=2):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(rate)
        writer.writeframes(samples)
    return file.getvalue()


def test_a_sound_goes_through_a_file_unchanged():
    assert read_wav(as_wav(Sound(TONE, 16_000))) == Sound(TONE, 16_000)
    assert read_wav(wav()) == Sound(TONE, 16_000)


@pytest.mark.parametrize(("width", "make"), [
    (1, lambda v: bytes([(v >> 8) + 128])),
    (3, lambda v: struct.pack("<i", v << 8)[:3]),
    (4, lambda v: struct.pack("<i", v << 16)),
])  # fmt: skip
def test_other_widths_and_two_channels_become_one_of_16_bits(width, make):
    values = struct.unpack("<1600h", TONE)
    stereo = b"".join(make(v) * 2 for v in values)
    found = struct.unpack("<1600h", read_wav(wav(stereo, channels=2, width=width)).samples)
    assert max(abs(a - b) for a, b in zip(values, found, strict=True)) <= 258


def test_a_stream_whose_length_is_unknown_is_read_to_its_end():
    assert read_wav(header(24_000) + TONE) == Sound(TONE, 24_000)


def test_a_recording_that_was_cut_keeps_what_there_is():
    assert read_wav(wav()[:1000]) == Sound(TONE[: 1000 - 44], 16_000)


@pytest.mark.parametrize(("data", "said"), [
    (b"", "not a WAV file"),
    (b"OggS" + bytes(100), "not a WAV file"),
    (wav()[:30], "ends before any"),
    (wav()[:44], "ends before any"),
    (b"RIFF\0\0\0\0WAVEdata\4\0\0\0abcd", "not known"),
    (wav()[:20] + b"\x55\0" + wav()[22:], "not known"),
    (wav()[:22] + b"\xff\xff" + wav()[24:], "not known"),
    (wav()[:24] + bytes(4) + wav()[28:], "not known"),
])  # fmt: skip
def test_what_is_no_recording_is_told_in_one_sentence(data, said):
    with pytest.raises(VoiceError, match=said):
        read_wav(data)


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000])
def test_another_rate_keeps_pitch_and_length(rate):
    import numpy as np

    there = resampled(Sound(TONE * 10, 16_000), rate)
    back = resampled(there)
    assert (there.rate, round(there.seconds, 2), round(back.seconds, 2)) == (rate, 1.0, 1.0)
    spectrum = np.abs(np.fft.rfft(as_floats(back.samples)))
    assert abs(int(spectrum.argmax()) - 440) <= 5


def test_a_lower_rate_does_not_fold_high_tones_back():
    high = struct.pack(
        "<16000h",
        *(round(12_000 * math.sin(2 * math.pi * 7_000 * n / 16_000)) for n in range(16_000)),
    )
    import numpy as np

    low = as_floats(resampled(Sound(high, 16_000), 8_000).samples)
    assert float(np.abs(low[200:-200]).max()) < 0.02
