"""The tool that runs code: languages, limits, long output, and jobs that go on."""

import json
from contextlib import closing, contextmanager

import pytest
from tests.live import end_of, printed, wait_until

from interpreter.protocol.events import ExecutionFinished, InputRequested, Notice, OutputDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.ports import ToolContext, nobody_answers
from interpreter.runtimes.pool import RuntimePool
from interpreter.sandboxes.backends.none import OpenCell
from interpreter.tools.job_control import JobControl
from interpreter.tools.run_code import RunCode, RunLimits


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    cell = OpenCell(tmp_path_factory.mktemp("work"))
    pool = RuntimePool(cell.launch, cell.exchange)
    yield pool
    pool.close()
    cell.close()


def context(answer=nobody_answers, interrupt=None):
    return ToolContext(answer, interrupt or Interrupt())


def run(tool, language, source, **options):
    return list(tool.run(Code(language, source), context(**options)))


def test_a_block_runs_and_its_events_come_through(pool):
    assert run(RunCode(pool), "bash", "echo hi") == [
        OutputDelta("hi\n"),
        ExecutionFinished("ok", exit_code=0),
    ]


def test_the_model_is_told_which_languages_exist(pool):
    parameters = json.loads(RunCode(pool).spec.parameters)
    assert {"python", "shell"} <= set(parameters["properties"]["language"]["enum"])


def test_an_unknown_language_is_an_event(pool):
    (end,) = run(RunCode(pool), "klingon", "x")
    assert end.outcome == "invalid"
    assert "python" in end.summary


def test_something_that_is_no_code_is_refused(pool):
    (end,) = RunCode(pool).run(ActionCall("execute", "{}"), context())
    assert end.outcome == "invalid"


def test_a_language_that_cannot_be_started_is_an_event(pool, tmp_path):
    from interpreter.runtimes.custom import registered
    from interpreter.runtimes.pool import PoolOptions
    from interpreter.settings.described_languages import DescribedLanguage

    cell = OpenCell(tmp_path)
    none = registered(DescribedLanguage("none", ("/nowhere/none",)))
    broken = RuntimePool(cell.launch, cell.exchange, PoolOptions(registered=(none,)))
    (end,) = run(RunCode(broken), "none", "x")
    broken.close()
    cell.close()
    assert end.outcome == "failed"
    assert "could not be started" in end.summary


def test_what_is_told_in_the_first_moment_of_a_block_comes_out_of_it(pool):
    tool = RunCode(pool)

    class Hasty:
        """Tells something before its first own event, as a call to the host may."""

        names = lambda self: ("hasty",)  # noqa: E731
        get = lambda self, language: self  # noqa: E731
        interrupt = lambda self: None  # noqa: E731

        def run(self, source, answer):
            heard = tool.inject(Notice("already here"))
            yield ExecutionFinished("ok" if heard else "failed")

    tool.use(Hasty())
    for _ in range(50):
        told, end = run(tool, "hasty", "x")
        assert (told, end.outcome) == (Notice("already here"), "ok")


def test_questions_are_answered_in_the_callers_thread(pool):
    import threading

    threads = []

    def answer(request):
        threads.append(threading.current_thread())
        return "Ada"

    events = run(RunCode(pool), "python", "print(input('Who? '))", answer=answer)
    assert InputRequested("Who? ") in events
    assert printed(events) == "Ada\n"
    assert threads == [threading.current_thread()]


def test_an_interrupt_reaches_the_block(pool):
    interrupt = Interrupt()
    events = []
    tool = RunCode(pool)
    for event in tool.run(Code("bash", "echo on; sleep 600"), context(interrupt=interrupt)):
        events.append(event)
        if isinstance(event, OutputDelta):
            interrupt.request()
    assert end_of(events).outcome == "interrupted"


def test_closing_the_events_stops_the_block(pool):
    with closing(RunCode(pool).run(Code("bash", "echo on; sleep 600"), context())) as events:
        next(events)
    assert printed(run(RunCode(pool), "bash", "echo free")) == "free\n"


def test_a_time_limit_can_stop(pool):
    tool = RunCode(pool, RunLimits(seconds=0.5, when_over="stop"))
    end = end_of(run(tool, "bash", "sleep 600"))
    assert end.outcome == "timed_out"
    assert end.summary == "Its time is over. It was stopped."


def test_silence_can_be_a_limit(pool):
    tool = RunCode(pool, RunLimits(silent_seconds=0.5, when_over="stop"))
    assert end_of(run(tool, "bash", "for i in 1 2 3 4; do echo; sleep 0.2; done")).outcome == "ok"
    assert "silent" in end_of(run(tool, "bash", "sleep 600")).summary


def test_waiting_for_an_answer_does_not_count(pool):
    import threading

    def answer(request):
        threading.Event().wait(0.8)
        return "x"

    tool = RunCode(pool, RunLimits(seconds=0.6, when_over="stop"))
    run(tool, "python", "1")
    assert end_of(run(tool, "python", "input()", answer=answer)).outcome == "ok"


def ask(tool, **wish):
    return list(JobControl(tool.jobs).run(ActionCall("jobs", json.dumps(wish)), context()))


def test_a_long_block_goes_on_as_a_job_that_can_be_read_waited_for_and_stopped(pool, tmp_path):
    tool = RunCode(pool, RunLimits(silent_seconds=0.3))
    go = tmp_path / "go"
    source = f"echo before; until [ -e {go} ]; do sleep 0.01; done; echo after"
    end = end_of(run(tool, "bash", source))
    assert end.outcome == "backgrounded"
    (job,) = tool.jobs.all()
    assert f"job {job.number}" in end.summary
    busy = end_of(run(tool, "sh", "echo"))
    assert (busy.outcome, "busy" in busy.summary) == ("invalid", True)
    assert "still runs" in end_of(ask(tool, action="list")).summary
    go.touch()
    events = ask(tool, action="wait", job=job.number, seconds=20)
    assert printed(events) == "after\n"
    assert "has ended: ok" in end_of(events).summary
    assert printed(run(tool, "bash", "echo free")) == "free\n"


def test_a_job_can_be_stopped(pool):
    tool = RunCode(pool, RunLimits(silent_seconds=0.3))
    run(tool, "bash", "sleep 600")
    (job,) = tool.jobs.all()
    assert "interrupted" in end_of(ask(tool, action="stop", job=job.number)).summary
    assert printed(run(tool, "bash", "echo free")) == "free\n"


def test_a_job_that_prints_for_ever_stays_small(pool):
    tool = RunCode(pool, RunLimits(seconds=0.3))
    run(tool, "bash", "while :; do echo spam; done")
    (job,) = tool.jobs.all()
    wait_until(lambda: job.printed > 1_000_000)
    assert len(job.tail) <= 32_000
    job.stop()


@pytest.mark.parametrize("wish", [{"action": "read", "job": 99}, {"action": "read"}])
def test_a_job_that_does_not_exist_is_refused(pool, wish):
    assert end_of(ask(RunCode(pool), **wish)).outcome == "invalid"


def test_a_wish_for_nothing_in_particular_lists_the_jobs(pool):
    assert end_of(ask(RunCode(pool))) == ExecutionFinished("ok", "There are no jobs.")


def test_long_output_is_kept_in_a_file_that_the_model_is_told_of(pool, tmp_path):
    tool = RunCode(pool, RunLimits(output_directory=lambda: tmp_path / "out"))
    end = end_of(run(tool, "bash", "seq 1 20000"))
    (file,) = (tmp_path / "out").iterdir()
    assert str(file) in end.summary
    assert file.read_text().splitlines() == [str(i) for i in range(1, 20_001)]


def test_short_output_makes_no_file(pool, tmp_path):
    tool = RunCode(pool, RunLimits(output_directory=lambda: tmp_path / "out"))
    run(tool, "bash", "echo short")
    assert not (tmp_path / "out").exists()


def test_the_screen_gets_what_fits_and_the_end(pool):
    tool = RunCode(pool, RunLimits(shown_characters=100_000))
    events = run(tool, "bash", "seq 1 1000000")
    text = printed(events)
    assert text.startswith("1\n2\n3\n")
    assert text.endswith("999999\n1000000\n")
    assert len(text) < 2_000_000
    assert any("not shown" in e.text for e in events if isinstance(e, Notice))


def test_late_output_is_told_to_the_model_too(pool, tmp_path):
    tool = RunCode(pool)
    go = tmp_path / "go"
    run(tool, "bash", f"(until [ -e {go} ]; do sleep 0.01; done; echo late) &")
    go.touch()
    shell = pool.get("bash")
    wait_until(lambda: any("late" in one.text for one in shell.leftovers.all()))
    assert "late" in end_of(run(tool, "bash", "echo now")).summary


class AtOnce(Interrupt):
    """Somebody who wants the block stopped in the moment in which it is announced."""

    @contextmanager
    def calls(self, listener):
        with super().calls(listener):
            self.request()
            yield


@pytest.mark.parametrize("language", ["python", "bash"])
def test_an_interrupt_before_the_block_has_begun_is_not_lost(pool, language):
    loop = {"python": "while True: pass", "bash": "while :; do :; done"}[language]
    run(RunCode(pool), language, "")  # so that it has started
    events = run(RunCode(pool), language, loop, interrupt=AtOnce())
    assert end_of(events).outcome == "interrupted"
