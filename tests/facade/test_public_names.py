"""The names that programs rely on: whoever changes one changes this file too, on purpose."""

import inspect
import subprocess
import sys

import interpreter
from interpreter import lmc

PUBLIC = {
    "interpreter": [
        *("AsyncInterpreter", "BaseLanguage", "Block", "Interpreter", "InterpreterError"),
        *("OpenInterpreter", "Result", "__version__", "computer", "interpreter"),
    ],
    "Interpreter": [
        *("allow", "ask", "checkpoints", "close", "compare", "decline", "diff", "fork"),
        *(
            "interrupt",
            "keep",
            "last",
            "messages",
            "proceed",
            "put",
            "redo",
            "run",
            "stream",
            "undo",
            "undo_message",
            "value",
        ),
    ],
    "AsyncInterpreter (its own)": [
        *("accumulate", "allow", "ask", "compare", "decline", "diff", "fork", "input", "keep"),
        *("output", "output_queue"),
        *(
            "put",
            "redo",
            "respond_thread",
            "run",
            "run_by_hand",
            "server",
            "stop_event",
            "stream",
            "undo",
            "value",
            "work_directory",
        ),
    ],
    "OpenInterpreter (methods)": [
        *(
            "anonymous_telemetry",
            "chat",
            "checkpoints",
            "close",
            "compare",
            "diff",
            "display_message",
            "fork",
            "get_oi_dir",
            "keep",
            "local_setup",
            "messages",
        ),
        *("redo", "reset", "skills_directory", "system_message", "undo", "use_profile", "wait"),
        "will_contribute",
    ],
    "Computer (methods)": [
        *(
            "choose",
            "end_own_languages",
            "exec",
            "languages",
            "languages_changed",
            "load_dict",
            "run",
            "screenshot",
            "stop",
        ),
        *("terminate", "to_dict", "view"),
    ],
    "Result": [
        *("blocks", "bring", "cost", "detail", "end", "files", "images", "messages", "text"),
        "value",
    ],
    "Block": [
        *("displays", "files", "images", "language", "ok", "outcome", "output", "source"),
        *("summary", "text"),
    ],
    "lmc": [
        *("ChunkWriter", "Dictionary", "conversation", "decode", "decode_all", "edited", "encode"),
        *("events_of", "is_conversation", "merged", "read_conversation"),
    ],
}


def own(kind, *, inherited=True):
    names = dir(kind) if inherited else vars(kind)
    return sorted(
        name
        for name in names
        if not name.startswith("_")
        and (
            callable(getattr(kind, name))
            or isinstance(inspect.getattr_static(kind, name), property)
            or inspect.ismemberdescriptor(inspect.getattr_static(kind, name))
        )
    )


def test_the_public_names_are_these():
    assert {
        "interpreter": dir(interpreter),
        "Interpreter": own(interpreter.Interpreter),
        "AsyncInterpreter (its own)": own(interpreter.AsyncInterpreter, inherited=False),
        "OpenInterpreter (methods)": own(interpreter.OpenInterpreter),
        "Computer (methods)": own(type(interpreter.computer)),
        "Result": own(interpreter.Result),
        "Block": own(interpreter.Block),
        "lmc": sorted(lmc.__all__),
    } == PUBLIC


def test_the_arguments_of_chat_are_these():
    assert (
        str(inspect.signature(interpreter.OpenInterpreter.chat))
        .replace(" ", "")
        .startswith(
            "(self,message:'Said|None'=None,display:'bool'=True,stream:'bool'=False,"
            "blocking:'bool'=True)"
        )
    )


def test_importing_loads_nothing_and_starts_nothing():
    code = """
import sys
before = set(sys.modules)
from interpreter import interpreter
print(sorted(set(sys.modules) - before))
from interpreter import computer, OpenInterpreter, load_ipython_extension
import threading
interpreter.auto_run = True
print(threading.active_count(), interpreter.computer is computer, interpreter.auto_run)
print(isinstance(interpreter, OpenInterpreter), "chat" in dir(interpreter))
"""
    run = [sys.executable, "-c", code]
    out = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    assert out == [
        "['__future__', 'interpreter', 'interpreter._version']",
        "1 True True",
        "True True",
    ]
