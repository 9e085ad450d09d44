"""Leaving waits for nothing without end, says what it waits for, and Ctrl-C goes on."""

import os
import signal
import threading

import pytest

from interpreter.assembly.cell.shutdown import Shutdown


def test_what_does_not_end_is_left_and_said():
    told, never = [], threading.Event()
    Shutdown(told.append).step("Saving", never.wait, 1.1)
    never.set()
    assert told == [
        "Saving … (at most 1.1 seconds; Ctrl-C goes on without)",
        "Saving: no answer within 1.1 seconds, so it is left.",
    ]


def test_ctrl_c_goes_on_with_the_next_step():
    told, never = [], threading.Event()

    def tell(text):
        told.append(text)
        if text.startswith("Saving …"):
            os.kill(os.getpid(), signal.SIGINT)

    leaving = Shutdown(tell)
    leaving.step("Saving", never.wait, 600)
    leaving.step("Ending", lambda: told.append("ended"), 600)
    never.set()
    assert told[1:] == ["Saving: not waited for any longer.", "ended"]


def test_an_error_of_a_step_is_raised():
    with pytest.raises(ZeroDivisionError):
        Shutdown(print).step("Dividing", lambda: 1 / 0, 600)
