import struct

from interpreter.voice.turns import SECONDS, STEP, Phrases, TurnRules, one_turn

LOUD, QUIET = struct.pack(f"<{STEP}h", *([9000] * STEP)), bytes(2 * STEP)
RULES = TurnRules(silence=0.5, before=2 * SECONDS)


def detector(samples):
    """Whatever is loud is speech."""
    return float(any(samples))


def steps(seconds, what):
    return what * round(seconds / SECONDS)


def cut(stream, rules=RULES):
    phrases = Phrases(detector, rules)
    found = [
        phrase for at in range(0, len(stream), 700) for phrase in phrases.add(stream[at : at + 700])
    ]
    return [*found, *filter(None, [phrases.close()])]


def test_two_phrases_are_two():
    stream = steps(1, QUIET) + steps(1, LOUD) + steps(1, QUIET) + steps(2, LOUD) + steps(1, QUIET)
    first, second = cut(stream)
    assert (first.count(LOUD), second.count(LOUD)) == (round(1 / SECONDS), round(2 / SECONDS))


def test_a_little_from_before_the_beginning_is_kept():
    (phrase,) = cut(steps(1, QUIET) + steps(1, LOUD))
    assert phrase.startswith(QUIET * 2 + LOUD)


def test_silence_and_a_click_are_no_phrases():
    assert cut(steps(3, QUIET)) == []
    assert cut(steps(1, QUIET) + LOUD * 2 + steps(2, QUIET)) == []


def test_speech_without_a_pause_is_cut_before_it_is_too_long():
    phrases = cut(steps(70, LOUD))
    assert max(len(phrase) / 32_000 for phrase in phrases) <= 14.1
    assert sum(map(len, phrases)) == len(steps(70, LOUD))


def test_a_turn_ends_when_the_speaker_does():
    frames = [QUIET] * 20 + [LOUD] * 40 + [QUIET] * 500
    taken = list(one_turn(frames, detector=detector, rules=RULES))
    assert 60 < len(taken) <= 60 + round(0.5 / SECONDS) + 1


def test_a_turn_in_which_nobody_speaks_ends_too():
    taken = list(one_turn([QUIET] * 10_000, patience=5, detector=detector, rules=RULES))
    assert len(taken) == round(5 / SECONDS) + 1
