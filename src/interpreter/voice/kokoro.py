"""Kokoro-82M as the mouth: phonemes by espeak-ng, sound by onnxruntime, on this machine."""

from __future__ import annotations

import mmap
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from interpreter.protocol.voice import Sound, VoiceError
from interpreter.voice.engine import cpu_session, new_run
from interpreter.voice.espeak import phonemes
from interpreter.voice.languages import language_of
from interpreter.voice.onnx_file import in_32_bits
from interpreter.voice.sentences import sentences

RATE = 24_000
MOST_TOKENS = 500  # the model takes 510
VOICES = {"en": "af_heart", "es": "ef_dora", "fr": "ff_siwis", "it": "if_sara", "pt": "pf_dora"}
"""The voice of each language that it speaks."""
MARKS = re.compile(r"([,;:.!?—…]+)(?=\s|$)")
PAUSES = {"。": ".", "、": ",", "–": "—"}
# The model was trained on a notation of its own: one letter for what IPA writes with two.
COMMON = (
    *(("a^ɪ", "I"), ("a^ʊ", "W"), ("e^ɪ", "A"), ("o^ʊ", "O"), ("ɔ^ɪ", "Y"), ("ə^ʊ", "Q")),
    *(("d^ʒ", "ʤ"), ("t^ʃ", "ʧ"), ("d^z", "ʣ"), ("t^s", "ʦ"), ("^", ""), ("-", "")),
)
AMERICAN = (
    *(("ɚ", "əɹ"), ("ɜː", "ɜɹ"), ("ɐ", "ə"), ("r", "ɹ"), ("ɾ", "T"), ("ʔ", "t"), ("ː", "")),
    *(("x", "k"), ("ɬ", "l")),
)
_IDS = (
    (1, ";:,.!?"), (9, "—…\"()“” \u0303ʣʥʦʨᵝ\uab67AI"), (31, "O"), (33, "Q"), (35, "ST"), (39, "W"),
    (41, "Yᵊabcdef"), (50, "hijklmnopqrstuvwxyzɑɐɒæ"), (75, "βɔɕç"), (80, "ɖðʤə"), (85, "ɚɛɜ"),
    (90, "ɟ"), (92, "ɡ"), (99, "ɥ"), (101, "ɨɪʝ"), (110, "ɯɰŋɳɲɴø"), (118, "ɸθœ"), (123, "ɹ"),
    (125, "ɾɻ"), (128, "ʁɽʂʃʈʧ"), (135, "ʊʋ"), (138, "ʌɣɤ"), (142, "χʎ"), (147, "ʒʔ"),
    (156, "ˈˌː"), (162, "ʰ"), (164, "ʲ"), (169, "↓"), (171, "→↗↘"), (177, "ᵻ"),
)  # fmt: skip
TOKENS = {symbol: first + at for first, run in _IDS for at, symbol in enumerate(run)}
"""The number of each symbol, as the model's own configuration has it."""


class KokoroMouth:
    """A natural voice for a few languages."""

    name = "kokoro-82m"

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._session: Any = None
        self._loading = threading.Lock()
        self._styles: dict[str, Any] = {}
        self._runs: set[Any] = set()

    def speaks(self, language: str) -> bool:
        """Whether there is a voice for a language."""
        return language in VOICES and self._file(VOICES[language]).exists()

    def prepare(self) -> None:
        """Load the network and say something to nobody: its first run takes longer than others."""
        for _ in self.say("Ready."):
            pass

    def hush(self) -> None:
        """End the network's runs: a long sentence takes it seconds."""
        for run in tuple(self._runs):
            run.terminate = True

    def say(self, text: str, language: str = "", speed: float = 1.0) -> Iterator[Sound]:
        """Sentence by sentence."""
        spoken = language or language_of(text)
        for sentence in sentences(text):
            for tokens in _runs(tokens_of(sentence, spoken)):
                sound = self._sound(tokens, spoken, speed)
                if sound is None:
                    return
                yield sound

    def _sound(self, tokens: list[int], language: str, speed: float) -> Sound | None:
        """How tokens sound; none if nobody wants to hear it any more."""
        import numpy as np  # noqa: PLC0415  (an extra)

        from interpreter.voice.samples import as_samples  # noqa: PLC0415

        said = {
            "input_ids": np.array([[0, *tokens, 0]], dtype=np.int64),
            "style": self._style(language)[len(tokens)],
            "speed": np.array([speed], dtype=np.float32),
        }
        session, run = self._loaded(), new_run()
        self._runs.add(run)
        try:
            (floats,) = session.run(None, said, run)
        except Exception as error:  # of whatever class the engine has for it
            if run.terminate:
                return None
            raise VoiceError(f"{self.name} could not say a sentence: {error}"[:300]) from error
        finally:
            self._runs.discard(run)
        return Sound(as_samples(floats.ravel()), RATE)

    def _loaded(self) -> Any:
        with self._loading:
            if self._session is None:
                self._session = session_in_32_bits(self._file("model_fp16", "onnx"))
            return self._session

    def _style(self, language: str) -> Any:
        name = VOICES.get(language, VOICES["en"])
        if name not in self._styles:
            import numpy as np  # noqa: PLC0415

            style = np.fromfile(self._file(name), dtype=np.float32)
            self._styles[name] = style.reshape(-1, 1, 256)
        return self._styles[name]

    def _file(self, name: str, kind: str = "bin") -> Path:
        return self._directory / f"{name}.{kind}"


def session_in_32_bits(model: Path) -> Any:
    """A model of 16 bits, of which some sentences overflow; wider it needs less memory, since the
    engine would keep both."""
    with tempfile.TemporaryDirectory() as scratch:
        wider = Path(scratch) / "model.onnx"
        with model.open("rb") as file, wider.open("wb") as out:
            narrow = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            out.writelines(in_32_bits(memoryview(narrow)))
        return cpu_session(wider)


def tokens_of(text: str, language: str = "en") -> list[int]:
    """The model's numbers for a text: phonemes, and the marks at which a voice pauses."""
    for mark, plain in PAUSES.items():
        text = text.replace(mark, plain)
    pieces = []
    for piece in MARKS.split(text):
        if MARKS.fullmatch(piece):
            pieces.append(piece[0])
        elif any(map(str.isalnum, piece)):
            pieces.append(" " + _in_its_notation(phonemes(piece, language), language))
    return [TOKENS[symbol] for symbol in "".join(pieces).strip() if symbol in TOKENS]


def _in_its_notation(ipa: str, language: str) -> str:
    for sound, letter in (*COMMON, *(AMERICAN if language == "en" else ())):
        ipa = ipa.replace(sound, letter)
    return ipa


def _runs(tokens: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(tokens), MOST_TOKENS):
        yield tokens[start : start + MOST_TOKENS]
