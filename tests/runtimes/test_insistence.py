"""A block that shall stop is asked, asked again, and ended; nothing is done before it is due."""

from interpreter.runtimes import resident
from interpreter.runtimes.resident import Insistence


def stopping(monkeypatch, **options):
    """An insistence whose clock is set by hand, and what it did."""
    did, now = [], [100.0]
    monkeypatch.setattr(resident.time, "monotonic", lambda: now[0])
    return Insistence(5.0, did.append, lambda: did.append("end"), **options), did, now


def test_nobody_is_asked_unwished(monkeypatch):
    stop, did, _ = stopping(monkeypatch)
    stop.mind(0)
    assert (did, stop.begun, stop.pause()) == ([], False, None)


def test_one_that_does_not_obey_is_asked_each_second_and_then_ended(monkeypatch):
    stop, did, now = stopping(monkeypatch)
    for _ in range(60):
        stop.mind(1)
        if did[-1] == "end":
            break
        now[0] += stop.pause()
    assert (did, now[0]) == ([1, 2, 3, 4, 5, "end"], 105.0)


def test_one_that_is_asked_once_is_left_its_time(monkeypatch):
    stop, did, now = stopping(monkeypatch, most=1)
    stop.mind(1)
    assert stop.pause() == 5.0
    now[0] += 4.9
    stop.mind(1)
    assert did == [1]


def test_a_second_wish_ends_it_at_once(monkeypatch):
    stop, did, _ = stopping(monkeypatch)
    stop.mind(1)
    stop.mind(2)
    assert did == [1, "end"]
