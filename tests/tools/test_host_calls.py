"""Code in a cell calls functions of the host: from Python and the shell, checked and ruled on."""

import json
import socket
import struct
import threading
from types import SimpleNamespace

import pytest
from tests.live import end_of, printed, wait_until, walled

from interpreter.assembly.cell.guards import GuardChain
from interpreter.policies.approvals import Approvals
from interpreter.policies.rules import parse_rules
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import ARROW, PNG, HostFunction
from interpreter.protocol.errors import CallFailed, ConfigurationError
from interpreter.protocol.events import HostCallFinished, HostCallProposed, HostCallRuled
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code, Face
from interpreter.protocol.ports import ToolContext, nobody_answers
from interpreter.runtimes.kernel.python import PythonOptions
from interpreter.runtimes.pool import PoolOptions, RuntimePool
from interpreter.runtimes.process.node import NodeOptions
from interpreter.tools.calls.broker import Broker
from interpreter.tools.calls.functions import HostFunctions
from interpreter.tools.guarded import Escalations, Guarded
from interpreter.tools.run_code import RunCode

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def function(name, call, properties=None, **options):
    schema = {"type": "object", "properties": properties or {}, **options.pop("schema", {})}
    options = {"asks": False, **options}
    return HostFunction(name, f"What {name} does.", schema, call, **options)


def never_ends(arguments, context):
    stopped.wait_for = context.interrupt
    done = threading.Event()
    with context.interrupt.calls(done.set):
        started.set()
        done.wait()
    stopped.set()


def fails(arguments, context):
    raise CallFailed("There are two.", "AmbiguousTarget", {"candidates": [1, 2]})


def misconfigured(arguments, context):
    raise ConfigurationError("Nothing is configured.")


started, stopped = threading.Event(), threading.Event()
seen = []
OFFERED = (
    function("computer.empty", lambda a, c: None),
    function(
        "computer.add",
        lambda a, c: a["a"] + a["b"],
        {"a": NUMBER, "b": NUMBER},
        schema={"required": ["a", "b"]},
    ),
    function(
        "computer.keys",
        lambda a, c: a,
        {"keys": {"type": "array", "items": TEXT, "variadic": True}, "wait": NUMBER},
    ),
    function("computer.echo", lambda a, c: a["value"], {"value": {}}),
    function("computer.count", lambda a, c: iter(range(a["to"])), {"to": NUMBER}),
    function(
        "computer.mouse.click", lambda a, c: seen.append(a), {"x": NUMBER, "y": NUMBER}, asks=True
    ),
    function("computer.fails", fails),
    function("computer.misconfigured", misconfigured),
    function("computer.broken", lambda a, c: 1 / 0),
    function("computer.forever", never_ends),
    function("computer.slow", never_ends, seconds=0.3),
    function("computer.object", lambda a, c: object()),
    function("things.files.read", lambda a, c: "read", {"path": TEXT}),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """One cell with walls, its runtimes, and a broker."""
    cell = walled(tmp_path_factory.mktemp("work"))
    escalations = Escalations()
    functions = HostFunctions(*OFFERED)
    functions.miss("computer.display", "there is no screen here.")
    it = SimpleNamespace(policy=Approvals("auto"), functions=functions, cell=cell)
    it.broker = Broker(
        functions, lambda: it.policy, escalations.ask, lambda event: escalations.inject(event)
    )
    it.broker.serve(cell.exchange)
    python = PythonOptions(env={"REPLOOP_CALLS": "computer things"})
    node = NodeOptions(env={"REPLOOP_CALLS": "computer things"})
    chosen = {"python": python, "javascript": node, "typescript": node}
    pool = RuntimePool(cell.launch, cell.exchange, PoolOptions(settings=chosen))
    code = RunCode(pool)
    escalations.inject = code.inject
    guarded = Guarded(code, GuardChain, escalations)

    def run(source, language="python", approve=None, interrupt=None):
        asked = [approve] if approve else []
        context = ToolContext(nobody_answers, interrupt or Interrupt(), *asked)
        return list(guarded.run(Code(language, source), context))

    it.run, it.pool = run, pool
    yield it
    pool.close()
    it.broker.close()
    cell.close()


@pytest.fixture(autouse=True)
def afresh(world):
    world.policy = Approvals("auto")
    started.clear()
    stopped.clear()
    seen.clear()


def test_a_call_gives_a_value_and_is_told_from_its_proposal_to_its_end(world):
    events = world.run("print(computer.add(2, b=3))")
    assert printed(events) == "5\n"
    told = [
        event
        for event in events
        if isinstance(event, HostCallProposed | HostCallRuled | HostCallFinished)
    ]
    call = told[0].call
    assert (call.tool, json.loads(call.arguments)) == ("computer.add", {"a": 2, "b": 3})
    assert told == [
        HostCallProposed(call),
        HostCallRuled(call, Decision("yes")),
        HostCallFinished(call, "ok", told[2].seconds),
    ]
    assert end_of(events).outcome == "ok"


def test_the_names_are_no_variables_and_give_way_to_those_of_the_user(world):
    assert (
        printed(world.run("print('computer' in globals(), 'computer' in dir())")) == "False False\n"
    )
    assert printed(world.run("computer = 5\nprint(computer)")) == "5\n"
    assert printed(world.run("del computer\nprint(computer.add(1, 1))")) == "2\n"


def test_plain_data_pictures_and_tables_cross_both_ways(world):
    source = """
import pandas as pd
for value in (None, True, 1.5, "ä", [1, {"b": [2]}], b"\\x00\\xff", {"deep": [b"1", None, b"2"]}):
    assert computer.echo(value) == value, value
frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
assert computer.echo(frame).equals(frame)
assert computer.echo({"table": frame})["table"].equals(frame)
import numpy, pathlib, datetime
assert computer.echo(numpy.arange(3)) == [0, 1, 2]
assert computer.echo((pathlib.Path("/x"), datetime.date(2020, 1, 2))) == ["/x", "2020-01-02"]
"""
    assert end_of(world.run(source)).outcome == "ok"


def test_a_picture_of_the_host_is_shown_and_can_be_handed_back(world):
    world.functions.add(function("computer.picture", lambda a, c: Face(PNG, b"\x89PNG")))
    world.functions.add(
        function("computer.kind", lambda a, c: a["of"].media_type, {"of": {"type": "bytes"}})
    )
    events = world.run(
        "p = computer.picture()\nprint(computer.kind(p), len(p), p._repr_png_() == bytes(p))"
    )
    assert printed(events) == "image/png 4 True\n"
    events = world.run("import pandas\nprint(computer.kind(pandas.DataFrame({'a': [1]})))")
    assert printed(events) == f"{ARROW}\n"


def test_nothing_but_plain_data_leaves_the_code_or_the_host(world):
    assert "cannot be handed to the host" in end_of(world.run("computer.echo(object())")).summary
    assert "no plain data" in end_of(world.run("computer.object()")).summary


def test_pieces_come_as_an_iterator(world):
    assert printed(world.run("print(sum(computer.count(100)))")) == "4950\n"
    assert printed(world.run("reploop-call computer.count 3", "shell")) == "0\n1\n2\n"


def test_arguments_are_checked_before_anything_runs(world):
    for call, problem in (
        ("computer.add(1)", "b must be given"),
        ("computer.add(1, 'x')", "b is to be integer, not 'x'"),
        ("computer.add(1, 2, 3)", "It takes 2 arguments, not 3"),
        ("computer.add(1, 2, c=3)", "There is no 'c'"),
        ("computer.add(1, 2, a=3)", "a is given twice"),
        ("computer.keys('ctrl', 3)", "keys is to be array of string"),
    ):
        events = world.run(f"try:\n    {call}\nexcept TypeError as e:\n    print(e)")
        assert problem in printed(events), call
        assert not any(isinstance(event, HostCallProposed) for event in events)


def test_a_variadic_parameter_takes_what_is_left(world):
    assert (
        printed(world.run("print(computer.keys('ctrl', 'c', wait=1))"))
        == "{'keys': ['ctrl', 'c'], 'wait': 1}\n"
    )


def test_only_names_of_the_registry_can_be_called(world):
    events = world.run(
        "print(hasattr(computer, 'mouse'), hasattr(computer.mouse, 'fly'), dir(things))"
    )
    assert printed(events) == "True False ['files']\n"
    assert (
        "There is no computer.mouse.fly; there are: click"
        in end_of(world.run("computer.mouse.fly()")).summary
    )
    assert (
        "cannot be used: there is no screen here"
        in end_of(world.run("computer.display.view()")).summary
    )
    events = world.run("import host_calls\nhost_calls.call('os.system', 'ls')")
    assert "The host has no function 'os.system'" in end_of(events).summary


def test_a_function_that_is_added_later_is_found(world):
    assert "There is no things.later" in end_of(world.run("things.later.on()")).summary
    world.functions.add(function("things.later.on", lambda a, c: "here"))
    assert printed(world.run("print(things.later.on())")) == "here\n"
    world.functions.remove("things.later")
    assert end_of(world.run("things.later.on()")).outcome == "failed"


def test_failures_of_functions_are_exceptions_of_the_code(world):
    events = world.run(
        "try:\n    computer.fails()\nexcept Exception as e:\n    print(type(e).__name__, e, e.details)"
    )
    assert printed(events) == "AmbiguousTarget There are two. {'candidates': [1, 2]}\n"
    assert "Nothing is configured." in end_of(world.run("computer.misconfigured()")).summary
    assert "ZeroDivisionError" in end_of(world.run("computer.broken()")).summary


def test_the_shell_calls_by_a_command(world):
    assert printed(world.run("reploop-call computer.add 2 --b 3", "shell")) == "5\n"
    assert (
        printed(world.run("reploop-call computer.echo --value='some text'", "shell"))
        == "some text\n"
    )
    assert "computer.add(a, b): What computer.add does." in printed(
        world.run("reploop-call", "shell")
    )
    events = world.run("reploop-call computer.add 2", "shell")
    assert "b must be given" in printed(events)
    assert end_of(events).exit_code == 1


def test_node_calls_with_promises(world):
    js = "javascript"
    assert printed(world.run("console.log(await computer.add(2, 3))", js)) == "5\n"
    assert printed(world.run("console.log(await computer.add.with({ a: 1, b: 2 }))", js)) == "3\n"
    assert printed(world.run("console.log(await computer.count(3))", js)) == "[ 0, 1, 2 ]\n"
    source = "const sent = Buffer.from('hello'); console.log(String(await computer.echo(sent)))"
    assert printed(world.run(source, js)) == "hello\n"
    events = world.run("await computer.add(1)", js)
    assert end_of(events).outcome == "failed"
    assert "b must be given" in end_of(events).summary
    source = (
        "try { await computer.fails() } catch (e) { console.log(e.name, e.details.candidates) }"
    )
    assert printed(world.run(source, js)) == "AmbiguousTarget [ 1, 2 ]\n"


def test_the_names_in_node_are_no_variables_and_give_way(world):
    source = "console.log(Object.keys(globalThis).includes('things'))"
    assert printed(world.run(source, "javascript")) == "false\n"
    assert printed(world.run("things = 5; console.log(things)", "javascript")) == "5\n"


def test_an_interrupt_takes_a_call_of_node_back(world):
    interrupt = Interrupt()

    def stop():
        started.wait()
        interrupt.request()

    threading.Thread(target=stop, daemon=True).start()
    events = world.run("await computer.forever()", "javascript", interrupt=interrupt)
    assert end_of(events).outcome == "interrupted"
    assert stopped.wait(10)


def test_a_rule_denies_a_call_and_the_code_sees_why(world):
    world.policy = Approvals(
        "auto",
        rules=parse_rules(
            '[[rule]]\ndecision = "deny"\ntool = "computer.mouse.click"\nreason = "hands off"'
        ),
    )
    events = world.run(
        "try:\n    computer.mouse.click(1, 2)\nexcept PermissionError as e:\n    print(e)"
    )
    assert "hands off" in printed(events)
    assert seen == []
    (ruled,) = [event for event in events if isinstance(event, HostCallRuled)]
    assert ruled.decision == Decision("no", "hands off")


def test_the_user_is_asked_about_what_acts_and_about_nothing_else(world):
    world.policy = Approvals("ask")
    asked = []

    def approve(request):
        asked.append(request.reason)
        return Decision("session")

    world.run(
        "computer.empty()\ncomputer.mouse.click(1, 2)\ncomputer.mouse.click(3, 4)", approve=approve
    )
    assert asked == ["This block calls computer.mouse.click(x=1, y=2)."]
    assert seen == [{"x": 1, "y": 2}, {"x": 3, "y": 4}]


def test_where_nobody_can_be_asked_a_call_is_refused(world):
    world.policy = Approvals("ask")
    events = world.run("computer.mouse.click(1, 2)")
    assert "nobody is there to ask" in end_of(events).summary
    assert seen == []


def test_an_interrupt_takes_a_call_back(world):
    interrupt = Interrupt()

    def stop():
        started.wait()
        interrupt.request()

    threading.Thread(target=stop, daemon=True).start()
    events = world.run("computer.forever()", interrupt=interrupt)
    assert end_of(events).outcome == "interrupted"
    assert stopped.wait(10)


def test_an_interrupt_takes_a_call_of_the_shell_back(world):
    interrupt = Interrupt()

    def stop():
        started.wait()
        interrupt.request()

    threading.Thread(target=stop, daemon=True).start()
    world.run("reploop-call computer.forever", "shell", interrupt=interrupt)
    assert stopped.wait(10)


def test_a_call_that_takes_too_long_ends(world):
    events = world.run("computer.slow()")
    assert "took longer than 0.3 seconds" in end_of(events).summary
    (finished,) = [event for event in events if isinstance(event, HostCallFinished)]
    assert finished.outcome == "timed_out"
    assert stopped.wait(10)


def test_many_threads_call_at_once(world):
    source = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(50) as pool:
    print(sum(pool.map(lambda n: computer.add(n, 1), range(200))))
"""
    assert printed(world.run(source)) == "20100\n"


def test_a_forked_process_calls_too(world):
    source = """
import os
pid = os.fork()
if pid == 0:
    os._exit(computer.add(40, 2))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert printed(world.run(source)) == "42\n"


def test_a_kernel_that_was_restarted_calls_too(world):
    world.pool.get("python").restart()
    assert printed(world.run("print(computer.add(1, 2))")) == "3\n"


def test_a_variable_can_hold_a_function_of_the_host(world):
    source = "import pickle\nclick = computer.add\nprint(pickle.loads(pickle.dumps(click))(1, 2))"
    assert printed(world.run(source)) == "3\n"


@pytest.fixture
def line(world):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(world.cell.exchange / "calls"))
        line.settimeout(10)
        yield line


def frame(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return struct.pack("!I", len(text)) + text


def refused(line):
    size = struct.unpack("!I", line.recv(4))[0]
    return json.loads(line.recv(size))["text"]


CALL = {"positional": [], "named": {}}


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (struct.pack("!I", 1 << 31), "too long"),
        (frame(b"not json"), "cannot be read"),
        (frame(b"[" * 100_000), "cannot be read"),
        (frame(b"[" + b"[]," * 3_000_000 + b"[]]"), "cannot be read"),
        (frame([]), "no object"),
        (frame({"call": 5}), "no function"),
        (frame({"call": "computer.echo"}), "positional and named"),
        (
            frame({"call": "computer.echo", "value": {"positional": 5, "named": {}}}),
            "positional and named",
        ),
        (
            frame({"call": "computer.echo", "value": CALL, "attached": [[[], PNG, 1 << 40]]}),
            "attached",
        ),
        (
            frame({"call": "computer.echo", "value": CALL, "attached": [[["positional"], PNG, 3]]}),
            "belongs nowhere",
        ),
        (
            frame({
                "call": "computer.echo",
                "value": CALL,
                "attached": [[["named", "a"], PNG, -3]],
            }),
            "belongs nowhere",
        ),
        (
            frame({
                "call": "computer.echo",
                "value": {"positional": [None], "named": {}},
                "attached": [[["positional", 0], PNG, -3]],
            }),
            "attached",
        ),
        (frame({"call": "computer.echo", "value": CALL, "attached": [5]}), "belongs nowhere"),
        (frame({"call": "computer.echo", "value": CALL, "attached": [0] * 1000}), "Too much"),
    ],
)
def test_what_is_no_call_is_refused_in_words(line, sent, told):
    line.sendall(sent)
    assert told in refused(line)


def test_a_caller_who_hangs_up_or_floods_disturbs_nobody(world):
    address = str(world.cell.exchange / "calls")
    lines = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for each in lines:
        each.connect(address)
    for each in lines:
        each.close()
    assert printed(world.run("print(computer.add(1, 2))")) == "3\n"


def test_a_flood_of_calls_does_not_fill_the_memory_of_the_host(world):
    events = world.run("for n in range(2000):\n    computer.empty()")
    finished = [event for event in events if isinstance(event, HostCallFinished)]
    assert len(finished) == 2000


def test_a_call_after_its_block_is_answered_but_nobody_is_asked(world):
    world.run(
        "import threading\ngo = threading.Event()\nout = []\ndef later():\n    go.wait()\n    out.append(computer.add(1, 2))\nt = threading.Thread(target=later)\nt.start()"
    )
    world.run("go.set()\nt.join()")
    assert printed(world.run("print(out)")) == "[3]\n"


def test_only_its_own_cell_reaches_a_broker(world, tmp_path):
    other = walled(tmp_path)
    broker = Broker(
        HostFunctions(*OFFERED), lambda: Approvals("auto"), lambda c, r: Decision("no"), seen.append
    )
    broker.serve(other.exchange)
    address = str(other.exchange / "calls")
    source = f"import socket\nsocket.socket(socket.AF_UNIX).connect({address!r})"
    events = world.run(source)
    broker.close()
    other.close()
    assert "FileNotFoundError" in end_of(events).summary
    assert seen == []


def test_a_name_that_is_no_name_is_refused():
    for name in ("computer", "", "a b.c", "computer..x", "9.x", "computer.x y"):
        with pytest.raises(ValueError, match="no name of a function"):
            HostFunctions(function(name, lambda a, c: None))


def test_the_socket_is_gone_with_the_broker(tmp_path):
    broker = Broker(
        HostFunctions(), lambda: Approvals("auto"), lambda c, r: Decision("no"), lambda e: False
    )
    broker.serve(tmp_path)
    assert (tmp_path / "calls").is_socket()
    broker.close()
    wait_until(lambda: not (tmp_path / "calls").exists())


def test_a_call_is_shown_without_its_bytes_and_long_texts(world):
    events = world.run("computer.echo({'data': b'x' * 100_000, 'text': 'y' * 100_000})")
    (finished,) = [event for event in events if isinstance(event, HostCallFinished)]
    assert isinstance(finished.call, ActionCall)
    assert len(finished.call.arguments) < 5_000
    assert "<100000 bytes>" in finished.call.arguments
