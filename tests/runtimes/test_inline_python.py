"""Python in this very process: live objects, an honest warning, and an end when asked."""

import pytest
from tests.live import end_of, interrupt_once_it_prints, printed, run, said, shown

from interpreter.protocol.events import InputRequested, Notice
from interpreter.runtimes.inline_python import InlinePython


@pytest.fixture
def namespace():
    return {}


@pytest.fixture
def inline(namespace):
    runtime = InlinePython(namespace)
    run(runtime, "")
    return runtime


def test_it_says_once_that_it_is_not_confined():
    runtime = InlinePython({})
    assert run(runtime, "")[0] == Notice(
        "Code runs inside this process, without a sandbox.", "warning"
    )
    assert not any(isinstance(event, Notice) for event in run(runtime, ""))


def test_it_shares_live_objects(inline, namespace):
    namespace["mine"] = [1]
    run(inline, "mine.append(2)\nyours = mine")
    assert namespace["mine"] == [1, 2]
    assert namespace["yours"] is namespace["mine"]


def test_output_and_values_and_failures_are_events(inline):
    events = run(inline, "import sys\nprint('a')\nprint('b', file=sys.stderr)\n6 * 7")
    assert (printed(events, "stdout"), printed(events, "stderr")) == ("a\n", "b\n")
    assert shown(events) == ["42"]
    events = run(inline, "def f():\n    raise KeyError('no')\nf()")
    assert end_of(events).summary == "KeyError: 'no'"
    assert 'File "<block>", line 3' in printed(events)
    assert "inline_python.py" not in printed(events)


def test_a_loop_can_be_interrupted_and_the_state_stays(inline):
    run(inline, "kept = 1")
    events = interrupt_once_it_prints(inline, "print('under way')\nwhile True: pass")
    assert end_of(events).outcome == "interrupted"
    assert said(inline, "kept") == "1"


def test_await_and_exit_and_input_work(inline):
    assert said(inline, "import asyncio\nawait asyncio.sleep(0, 5)") == "5"
    assert end_of(run(inline, "raise SystemExit(3)")).exit_code == 3
    events = run(inline, "input('Who? ')", answer=lambda request: "Ada")
    assert events[0] == InputRequested("Who? ")
    assert shown(events) == ["'Ada'"]
    assert end_of(run(inline, "input()")).summary.startswith("EOFError")


def test_other_threads_keep_their_own_output(inline, capsys):
    import sys
    import threading

    go, done = threading.Event(), threading.Event()

    def outsider():
        go.wait()
        sys.stdout.write("outside\n")
        done.set()

    threading.Thread(target=outsider).start()
    inline._namespace.update(go=go, done=done)
    assert printed(run(inline, "go.set()\ndone.wait()\nprint('inside')")) == "inside\n"
    assert capsys.readouterr().out == "outside\n"


def test_the_streams_are_given_back(inline):
    import sys

    before = sys.stdout
    run(inline, "1/0")
    assert sys.stdout is before
