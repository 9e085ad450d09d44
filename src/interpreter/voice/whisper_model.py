"""Whisper's two networks and what lies between sound and them: spectra, tokens, a greedy search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from interpreter.protocol.values import frozen
from interpreter.protocol.voice import EAR_RATE
from interpreter.voice.engine import cpu_session
from interpreter.voice.onnx_file import with_fewer_rows

WINDOW = 15  # seconds that are looked at together; trained with 30, which costs three times as much
HOP, FFT, MELS = 160, 400, 80
STATES = 2 * HOP  # samples for one state of the encoder
TOKENS_A_SECOND = 30  # no language has more; what goes on is stuck
MOST_TOKENS = 224


@frozen
class Words:
    """What it read out of a sound, and how likely that sound is no speech at all."""

    text: str
    no_speech: float
    """From 0 to 1."""
    certainty: float
    """The mean logarithm of the chance of each token: 0 is certain, below -1 is guessed."""


class WhisperModel:
    """Loaded networks; one call at a time."""

    def __init__(self, directory: Path) -> None:
        encoder = (directory / "encoder_model_quantized.onnx").read_bytes()
        states = WINDOW * EAR_RATE // STATES
        self._encoder = cpu_session(with_fewer_rows(encoder, "embed_positions.weight", states))
        self._decoder = cpu_session(directory / "decoder_model_merged_quantized.onnx")
        given = [output.name for output in self._decoder.get_outputs()]
        self._outputs = ["logits", *(name for name in given if name.startswith("present."))]
        vocabulary = json.loads((directory / "vocab.json").read_text())
        added = json.loads((directory / "added_tokens.json").read_text())
        self._ids: dict[str, int] = vocabulary | added
        self._pieces = {number: _bytes_of(piece) for piece, number in vocabulary.items()}
        task = self._ids["<|translate|>"]  # languages stand between it and the beginning
        self._languages = range(self._ids["<|startoftranscript|>"] + 1, task)
        self._filters = mel_filters()

    def knows(self, language: str) -> bool:
        """Whether a code such as `en` is one of its languages."""
        return self._ids.get(f"<|{language}|>", -1) in self._languages

    def words(self, floats: Any, language: str = "") -> Words:
        """What is said in at most `WINDOW` seconds; no language means what it sounds like."""
        from onnxruntime import OrtValue  # noqa: PLC0415  (an extra)

        mel = self._spectrum(floats)
        (states,) = self._encoder.run(["last_hidden_state"], {"input_features": mel})
        state = _State(self._decoder, self._outputs, OrtValue.ortvalue_from_numpy(states))
        chances = state.after(self._ids["<|startoftranscript|>"])
        no_speech = float(np.exp(chances[self._silence]))
        spoken = self._ids[f"<|{language}|>"] if language else self._likeliest(chances)
        for token in (spoken, self._ids["<|transcribe|>"], self._ids["<|notimestamps|>"]):
            chances = state.after(token)
        end = self._ids["<|endoftext|>"]
        found: list[int] = []
        certain: list[float] = []
        most = min(MOST_TOKENS, 10 + TOKENS_A_SECOND * len(floats) // EAR_RATE)
        while len(found) < most:
            token = int(chances.argmax())
            certain.append(float(chances[token]))
            if token == end:
                break
            found.append(token)
            chances = state.after(token)
        text = b"".join(self._pieces.get(token, b"") for token in found)
        return Words(text.decode(errors="replace").strip(), no_speech, float(np.mean(certain)))

    @property
    def _silence(self) -> int:
        name = "<|nospeech|>" if "<|nospeech|>" in self._ids else "<|nocaptions|>"
        return self._ids[name]

    def _likeliest(self, chances: Any) -> int:
        first = self._languages[0]
        return first + int(chances[first : self._languages[-1] + 1].argmax())

    def _spectrum(self, floats: Any) -> Any:
        """How loud each pitch is, a hundred times in a second, as it was trained on."""
        whole = np.zeros(WINDOW * EAR_RATE, dtype=np.float32)
        whole[: len(floats)] = floats[: len(whole)]
        padded = np.pad(whole, FFT // 2, mode="reflect")
        windows = np.lib.stride_tricks.sliding_window_view(padded, FFT)[::HOP][:-1]
        waves = np.fft.rfft(windows * np.hanning(FFT + 1)[:-1].astype(np.float32))
        loud = np.log10(np.maximum((np.abs(waves) ** 2) @ self._filters, 1e-10))
        mel = (np.maximum(loud, loud.max() - 8.0) + 4.0) / 4.0
        return mel.T[None].astype(np.float32)


class _State:
    """The decoder in the middle of a text: what it has read so far is kept as keys and values."""

    def __init__(self, decoder: Any, outputs: list[str], states: Any) -> None:
        from onnxruntime import OrtValue  # noqa: PLC0415

        self._decoder = decoder
        self._outputs = outputs
        self._value = OrtValue.ortvalue_from_numpy
        self._kept = {
            given.name: self._value(np.zeros((1, given.shape[1], 0, given.shape[3]), np.float32))
            for given in decoder.get_inputs()
            if given.name.startswith("past_key_values.")
        }
        self._states = states
        self._has_begun = False

    def after(self, token: int) -> Any:
        """The logarithm of the chance of each token to follow."""
        logits, *present = self._decoder.run_with_ort_values(
            self._outputs,
            {
                "input_ids": self._value(np.array([[token]], dtype=np.int64)),
                "encoder_hidden_states": self._states,
                "use_cache_branch": self._value(np.array([self._has_begun])),
                **self._kept,
            },
        )
        for name, value in zip(self._outputs[1:], present, strict=True):
            if value.shape()[0]:  # what belongs to the sound is given once only
                self._kept[name.replace("present.", "past_key_values.")] = value
        self._has_begun = True
        last = logits.numpy()[0, -1].astype(np.float64)
        last -= last.max()
        return last - np.log(np.exp(last).sum())


def mel_filters() -> Any:
    """How much of each frequency belongs to each of the pitches, which lie as ears have them."""
    top = _as_mel(np.array([EAR_RATE / 2]))[0]
    edges = _as_hertz(np.linspace(0.0, top, MELS + 2))
    bins = np.linspace(0, EAR_RATE / 2, FFT // 2 + 1)
    rises = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falls = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    areas = 2.0 / (edges[2:] - edges[:-2])
    return (np.maximum(0, np.minimum(rises, falls)) * areas[:, None]).T.astype(np.float32)


# Slaney's scale: even steps up to 1000 Hz, then each a little larger than the one before.
LINEAR, KNEE, GROWTH = 200 / 3, 1000.0, float(np.log(6.4) / 27)


def _as_mel(hertz: Any) -> Any:
    above = KNEE / LINEAR + np.log(np.maximum(hertz, KNEE) / KNEE) / GROWTH
    return np.where(hertz < KNEE, hertz / LINEAR, above)


def _as_hertz(mels: Any) -> Any:
    knee = KNEE / LINEAR
    return np.where(mels < knee, mels * LINEAR, KNEE * np.exp(GROWTH * (mels - knee)))


def _bytes_of(piece: str) -> bytes:
    """A token's bytes: those that cannot be printed are written as other letters in its file."""
    return bytes(BYTE_OF[letter] for letter in piece if letter in BYTE_OF)


def _byte_table() -> dict[str, int]:
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {
        chr(256 + place): byte for place, byte in enumerate(others)
    }


BYTE_OF = _byte_table()
