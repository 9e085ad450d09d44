"""Arithmetic on samples: other kinds of numbers, several channels, another rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from interpreter.protocol.voice import EAR_RATE, Sound

if TYPE_CHECKING:
    from interpreter.voice.wav import Format

FULL = 32_768.0
TAPS = 48  # samples at each side of the filter's middle, at the lower rate


def as_floats(samples: bytes) -> Any:
    """Samples from -1 to 1."""
    return np.frombuffer(samples, dtype="<i2").astype(np.float32) / FULL


def as_samples(floats: Any) -> bytes:
    """The way back; what is too loud is clipped."""
    finite = np.nan_to_num(floats, nan=0.0, posinf=1.0, neginf=-1.0)
    samples: bytes = (np.clip(finite, -1.0, 1.0) * 32_767).astype("<i2").tobytes()
    return samples


def mixed_down(form: Format, data: bytes) -> bytes:
    """Any PCM as one channel of 16 bits."""
    if form.bits == 24:
        wide = np.frombuffer(data, dtype=np.uint8).reshape(-1, 3).astype(np.int32)
        whole = wide[:, 0] | (wide[:, 1] << 8) | (wide[:, 2] << 16)
        floats = ((whole ^ 0x800000) - 0x800000) / float(1 << 23)
    elif form.bits == 8:
        floats = (np.frombuffer(data, dtype=np.uint8).astype(np.float32) - 128) / 128
    elif form.kind == 3:
        floats = np.frombuffer(data, dtype=f"<f{form.bits // 8}")
    else:
        floats = np.frombuffer(data, dtype=f"<i{form.bits // 8}") / float(1 << (form.bits - 1))
    return as_samples(floats.reshape(-1, form.channels).astype(np.float32).mean(axis=1))


def resampled(sound: Sound, rate: int = EAR_RATE) -> Sound:
    """The same sound at another rate, without what that rate cannot carry."""
    if sound.rate == rate or not sound.samples:
        return Sound(sound.samples, rate)
    floats = as_floats(sound.samples)
    if rate < sound.rate:
        floats = np.convolve(floats, _low_pass(rate / sound.rate), mode="same")[: len(floats)]
    length = max(1, round(len(floats) * rate / sound.rate))
    places = np.arange(length) * (sound.rate / rate)
    return Sound(as_samples(np.interp(places, np.arange(len(floats)), floats)), rate)


def _low_pass(ratio: float) -> Any:
    """A windowed sinc that ends where the lower rate does."""
    half = int(TAPS / ratio)
    at = np.arange(-half, half + 1)
    taps = np.sinc(at * ratio * 0.95) * np.hanning(len(at) + 2)[1:-1]
    return taps / taps.sum()
