"""Somebody talks over the voice; its own echo does not."""

import struct

import pytest

from interpreter.voice.barge_in import Interruption, after_the_voice
from interpreter.voice.turns import SECONDS, STEP


def sound(loudness):
    value = round(loudness * 32_767)
    return struct.pack(f"<{STEP}h", *[value, -value] * (STEP // 2))


def seconds(number, loudness):
    return [sound(loudness)] * round(number / SECONDS)


def noticed(frames, playing):
    """After how many seconds somebody is noticed; None if never. Whatever sounds is speech."""
    one = Interruption(lambda: playing, lambda samples: float(any(samples)))
    for place, frame in enumerate(frames, 1):
        if one.add(frame):
            return place * SECONDS
    return None


@pytest.mark.parametrize("echo", [0.0, 0.05, 0.3])
def test_the_voices_own_echo_is_nobody(echo):
    assert noticed(seconds(20, echo), playing=0.6) is None


def test_a_voice_over_the_echo_is_noticed_within_a_quarter_of_a_second():
    after = noticed(seconds(2, 0.1) + seconds(2, 0.5), playing=0.6)
    assert 2 < after < 2.25


def test_a_voice_over_headphones_is_noticed_within_a_quarter_of_a_second():
    assert 2 < noticed(seconds(2, 0.0) + seconds(2, 0.2), playing=0.6) < 2.25


def test_a_click_is_nobody():
    assert noticed(seconds(2, 0.0) + seconds(0.1, 0.9) + seconds(5, 0.0), playing=0.6) is None


def test_the_words_from_before_it_was_noticed_are_kept():
    frames = [*seconds(2, 0.1), *seconds(1, 0.5)]
    stopped = []
    one = Interruption(lambda: 0.6, lambda samples: float(any(samples)))
    kept = [*after_the_voice(frames, lambda: False, lambda: stopped.append(1), one)]
    assert stopped == [1]
    assert kept.count(sound(0.5)) == len(seconds(1, 0.5))


def test_what_was_heard_of_a_voice_that_ended_is_no_words():
    one = Interruption(lambda: 0.6, lambda samples: float(any(samples)))
    silent = iter([False] * 30 + [True] * 100)
    frames = [*seconds(1, 0.1)[:30], *seconds(1, 0.4)]
    kept = [*after_the_voice(frames, lambda: next(silent), lambda: None, one)]
    assert kept == seconds(1, 0.4)
