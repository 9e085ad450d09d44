"""What a whole turn costs, sandbox, undo and store included, beside a bare kernel's block."""

import os
import resource
import statistics
import tempfile
import time
from contextlib import chdir, contextmanager
from dataclasses import replace
from pathlib import Path

from bench.runtimes import bare_kernel
from bench.table import seconds, show

TURNS = 40
THINKING = 0.1  # seconds: what a model takes at least; a copy of the kernel is made meanwhile
SIZE = 10_000_000
LARGE = 5_000
BLOCKS = (
    ("Python", {"language": "python", "code": "1 + 1"}, 12),
    ("shell", {"language": "shell", "code": "true"}, 6),
    ("JavaScript", {"language": "javascript", "code": "1 + 1"}, 6),
)
PRINTED = (
    ("10 MB in lines", f"for i in range({SIZE} // 100): print('x' * 99)", "<= 1.2"),
    ("10 MB in lines of words", f"for i in range({SIZE} // 100): print('some word ' * 10)", ""),
    ("10 MB on one line", f"print('x' * {SIZE})", "<= 0.5 s"),
)


def main():
    rows = [("what", "measured (median)", "least", "bare kernel", "ratio", "goal")]
    rows.append(_processor_time())
    with chdir("."), bare_kernel() as bare, session() as run:
        plain = _times(lambda: _bare(bare, "pass"))
        for name, reply, goal in BLOCKS:
            rows.append(_row(f"whole turn, {name}", _times(lambda r=reply: run(r)), plain, goal))
        for name, reply, goal in BLOCKS:
            took = _times(lambda r=reply: run(r), THINKING)
            rows.append(_row(f"the same after {THINKING * 1000:.0f} ms, {name}", took, plain, goal))
        for name, source, goal in PRINTED:
            base = [seconds(lambda s=source: _bare(bare, s), times=3)]
            took = [_time(lambda s=source: run({"language": "python", "code": s}))[0]]
            took += [_time(lambda s=source: run({"language": "python", "code": s}))[0]]
            rows.append(_row(name, took, base, goal))
        sent = len(run({"language": "python", "code": "for i in range(100_000): print(i)"}))
    rows.append(_in_a_large_project(plain))
    rows.append(("characters sent of 100,000 lines", f"{sent:,}", "", "588,890", "", "<= 8,000"))
    show(f"Whole turns, model of no delay (load {os.getloadavg()[0]:.1f})", rows)


def _in_a_large_project(plain):
    """Before and after each block, what runs by itself is looked for in the whole workspace."""
    with chdir("."), session(directories=LARGE) as run:
        took = _times(lambda: run({"language": "python", "code": "1 + 1"}), THINKING)
    return _row(f"the same, Python, among {LARGE:,} directories", took, plain, "")


@contextmanager
def session(functions=(), directories=0):
    """Runs a reply of the model as a whole turn; what the model is sent of its output."""
    from interpreter.assembly import SessionFactory
    from interpreter.models.scripted import ScriptedModel
    from interpreter.protocol.actions import Decision
    from interpreter.protocol.ports import nobody_answers
    from interpreter.settings.settings import Settings

    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_DATA_HOME"] = home
        work = Path(home) / "work"
        work.mkdir()
        for number in range(directories):
            (work / f"{number // 100}" / f"{number}").mkdir(parents=True)
        os.chdir(work)
        settings = Settings(model="scripted/demo", auto_run=True)
        factory = SessionFactory(settings, lambda request: Decision("yes"), nobody_answers)
        factory.host_functions.add(*functions)
        conversation = factory.open_session(settings)

        def run(reply):
            asked = []
            model = _Listening(ScriptedModel([reply, "Done."]), asked)
            conversation.engine = replace(conversation.engine, model=model)
            for _ in conversation.send("Go on."):
                pass
            return "".join(getattr(part, "text", "") for part in asked[-1].messages[-1].parts)

        try:
            yield run
        finally:
            factory.close()


class _Listening:
    """A model that keeps what it was asked."""

    def __init__(self, model, asked):
        self._model, self._asked = model, asked
        self.capabilities = model.capabilities

    def __getattr__(self, name):
        return getattr(self._model, name)

    def stream(self, request, *more):
        self._asked.append(request)
        return self._model.stream(request, *more)


def _processor_time():
    """What all processes take for a session with one block, from its start to its end."""

    def whole():
        with chdir("."), session() as run:
            run({"language": "python", "code": "1 + 1"})

    def bare():
        with bare_kernel() as client:
            _bare(client, "1 + 1")

    measured, plain = ([_processor(action) for _ in range(4)] for action in (whole, bare))
    return _row("processor, a session of one Python block", measured, plain, "")


def _processor(action):
    before = _used()
    action()
    return _used() - before


def _used():
    whom = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(who)[:2]) for who in whom)


def _bare(client, source):
    client.execute_interactive(source, output_hook=lambda message: None, timeout=120)


def _times(action, pause=0.0):
    taken = []
    for _ in range(5 + TURNS):
        time.sleep(pause)
        taken.append(_time(action)[0])
    return taken[5:]


def _time(action):
    start = time.perf_counter()
    done = action()
    return time.perf_counter() - start, done


def _row(what, measured, bare, goal):
    middle, base = statistics.median(measured), statistics.median(bare)
    shown = [f"{one * 1000:.1f} ms" for one in (middle, min(measured), base)]
    goal = f"<= {goal} ms" if isinstance(goal, int) else goal
    return (what, *shown, f"{middle / base:.2f}", goal)


if __name__ == "__main__":
    main()
