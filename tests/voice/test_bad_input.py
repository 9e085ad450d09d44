"""Sound without words, and more of it than anybody wants to hear; with the real ear."""

import pytest
from tests.support.voice_weights import voice_weights  # noqa: F401

from interpreter.protocol.voice import EAR_RATE, VoiceError
from interpreter.voice.espeak import EspeakMouth
from interpreter.voice.kokoro import KokoroMouth
from interpreter.voice.whisper import WhisperEar, tidied


def silence(np, seconds):
    return np.zeros(len(seconds))


def noise(np, seconds):
    return np.random.default_rng(7).normal(0, 0.2, len(seconds))


def music(np, seconds):
    """Chords with overtones that change every half second, and a beat."""
    sound = np.zeros(len(seconds))
    for place, chord in enumerate(
        [(262, 330, 392), (220, 262, 330), (175, 220, 262), (196, 247, 294)] * 2
    ):
        at = (seconds >= place / 2) & (seconds < (place + 1) / 2)
        for pitch in chord:
            for overtone in (1, 2, 3):
                sound[at] += 0.08 / overtone * np.sin(2 * np.pi * pitch * overtone * seconds[at])
    return sound * (0.6 + 0.4 * (np.sin(2 * np.pi * 4 * seconds) > 0))


@pytest.fixture(scope="module")
def ear(voice_weights):  # noqa: F811
    return WhisperEar(voice_weights / "whisper-base")


@pytest.mark.parametrize("sound", [silence, noise, music])
def test_sound_without_words_has_none(ear, sound):
    import numpy as np

    from interpreter.voice.samples import as_samples

    samples = as_samples(sound(np, np.arange(4 * EAR_RATE) / EAR_RATE))
    assert {heard.text for heard in ear.hear([samples])} == {""}


def test_two_hours_are_refused_without_being_kept(ear):
    taken = []

    def recorder():
        for part in range(4):
            taken.append(part)
            yield bytes(31 * 60 * EAR_RATE * 2)

    with pytest.raises(VoiceError, match="longer than 30 minutes; cut it into parts"):
        list(ear.hear(recorder()))
    assert taken == [0]


def test_a_language_that_does_not_exist_is_told(ear):
    from interpreter.voice.samples import resampled

    hello = [resampled(sound).samples for sound in EspeakMouth().say("Good morning.")]
    with pytest.raises(VoiceError, match="'xx' is no language that whisper-base knows"):
        list(ear.hear([*hello, bytes(EAR_RATE * 2)], "xx"))


@pytest.mark.parametrize(("text", "words"), [
    ("[Music]", ""), ("♪ la la ♪", ""), ("(applause) Thank you.", "Thank you."), ("...", ""),
    ("so so so so so so so", "so"), ("It is so, so good.", "It is so, so good."),
])  # fmt: skip
def test_notes_about_sounds_and_loops_are_no_words(text, words):
    assert tidied(text) == words


def test_a_mouth_whose_engine_fails_says_so(tmp_path, monkeypatch):
    class Broken:
        def run(self, *given):
            raise RuntimeError("no kernel for this")

    mouth = KokoroMouth(tmp_path)
    monkeypatch.setattr(mouth, "_loaded", Broken)
    monkeypatch.setattr(mouth, "_style", lambda language: [None] * 500)
    with pytest.raises(VoiceError, match="no kernel for this"):
        list(mouth.say("Hello."))
