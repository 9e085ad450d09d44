"""Ctrl-C is noticed whatever the main thread waits for."""

import os
import signal
import threading

import pytest

from interpreter.terminal.input.keys import ctrl_c


def test_the_action_is_called_while_the_main_thread_waits_for_it():
    called = threading.Event()
    with ctrl_c(called.set):
        os.kill(os.getpid(), signal.SIGINT)
        assert called.wait(240)


def test_the_action_does_not_need_the_main_thread():
    """A signal that comes before a wait begins must not wait for its end."""
    threads = []
    called = threading.Event()

    def note():
        threads.append(threading.current_thread())
        called.set()

    with ctrl_c(note):
        os.kill(os.getpid(), signal.SIGINT)
        assert called.wait(240)
    assert threads != [threading.main_thread()]


def test_afterwards_everything_is_as_before():
    before = signal.getsignal(signal.SIGINT)
    number = threading.active_count()
    with ctrl_c(lambda: None), ctrl_c(None):
        pass
    assert signal.getsignal(signal.SIGINT) is before
    assert threading.active_count() == number
    assert signal.set_wakeup_fd(-1) == -1


def test_without_an_action_it_interrupts():
    called = []

    def be_interrupted():
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(30)

    with ctrl_c(lambda: called.append("outer")), ctrl_c(None), pytest.raises(KeyboardInterrupt):
        be_interrupted()
    assert called == []


def test_other_threads_leave_ctrl_c_alone():
    seen = []

    def elsewhere():
        with ctrl_c(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
