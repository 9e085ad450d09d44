"""The house that is opened behind the prompt."""

import signal
import threading

import pytest

from interpreter.terminal.input.prompt_first import ChatOpening


def test_waiting_for_it_can_be_interrupted_and_begun_again():
    gate = threading.Event()

    def make():
        gate.wait()
        return "a chat"

    def interrupted():
        main = threading.main_thread().ident
        ctrl_c = threading.Timer(0.05, signal.pthread_kill, [main, signal.SIGINT])
        ctrl_c.start()
        opening.get()

    opening = ChatOpening(make, failed=lambda error: None)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    gate.set()
    assert opening.get() == "a chat"
