"""Values that are made late: once, in place or in the background, and waited for."""

import signal
import threading

import pytest

from interpreter.protocol.lazy import Lazy


def test_it_is_made_once_and_by_whoever_asks_first():
    makers = []
    lazy = Lazy(lambda: makers.append(threading.current_thread()) or "value")
    assert (lazy.begun, lazy.made) == (False, None)
    assert (lazy.get(), lazy.get()) == ("value", "value")
    assert makers == [threading.current_thread()]
    assert (lazy.begun, lazy.made) == (True, "value")


def test_in_the_background_it_is_made_by_a_thread_of_its_own_that_nobody_waits_for():
    gate, makers = threading.Event(), []

    def make():
        gate.wait()
        makers.append(threading.current_thread())
        return "value"

    lazy = Lazy(make)
    for _ in range(2):
        lazy.begin()
    assert (lazy.begun, lazy.made) == (True, None)
    gate.set()
    assert lazy.get() == "value"
    assert [maker is threading.current_thread() for maker in makers] == [False]


def test_an_error_in_place_is_not_kept():
    results = [ZeroDivisionError(), "value"]

    def make():
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    lazy = Lazy(make)
    with pytest.raises(ZeroDivisionError):
        lazy.get()
    assert lazy.get() == "value"


def test_an_error_in_the_background_is_raised_wherever_the_value_is_wanted():
    lazy = Lazy(lambda: 1 / 0)
    lazy.begin()
    lazy.settle()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            lazy.get()
    assert lazy.made is None


@pytest.mark.parametrize("result", ["value", ZeroDivisionError()])
def test_ctrl_c_ends_the_waiting_and_not_the_work(result):
    gate, made = threading.Event(), []

    def make():
        gate.wait()
        made.append(1)
        if isinstance(result, Exception):
            raise result
        return result

    def interrupted():
        main = threading.main_thread().ident
        threading.Timer(0.05, signal.pthread_kill, [main, signal.SIGINT]).start()
        lazy.get()

    lazy = Lazy(make)
    lazy.begin()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    gate.set()
    if isinstance(result, Exception):
        with pytest.raises(ZeroDivisionError):
            lazy.get()
    else:
        assert lazy.get() == result
    assert made == [1]
