"""What every model keeps to, whoever is behind it."""

import json
import threading

import pytest

from interpreter.models.callable import from_function
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.events import ModelRetrying, ReplyFinished
from interpreter.protocol.interrupt import Interrupt
from support.claude_stream import stream, text, use
from support.model_server import ModelServer, called, said
from support.talking import actions_of, ask, code_of, end_of, request, text_of

SOURCE = "print('hi')\nx = 1"
ARGUMENTS = json.dumps({"language": "python", "code": SOURCE})
FENCED = f"Look.\n```python\n{SOURCE}\n```\n"


class Served:
    """A model behind the loopback server."""

    def __init__(self, name, words, action, **options):
        self.server = ModelServer()
        self.replies = {"words": words, "action": action}
        self.model = resolve(name, ModelOptions(api_base=self.server.url, api_key="k", **options))

    def will(self, *kinds):
        self.server.replies = [self.replies[kind] for kind in kinds]

    def close(self):
        self.model.close()
        self.server.close()


class Function:
    """A model made of a function."""

    replies = {"words": ["Hello, ", "you."], "action": [FENCED[:9], FENCED[9:]]}

    def __init__(self):
        self.next = []
        self.model = from_function(self._completions)

    def _completions(self, messages, **arguments):
        for piece in self.replies[self.next.pop(0)]:
            yield {"choices": [{"delta": {"content": piece}}]}

    def will(self, *kinds):
        self.next = list(kinds)

    def close(self):
        self.model.close()


class Scripted:
    """A model that plays a script."""

    replies = {"words": {"text": "Hello, you."}, "action": {"text": "Look.\n", "code": SOURCE}}

    def will(self, *kinds):
        self.model = ScriptedModel([self.replies[kind] for kind in kinds])

    def close(self):
        self.model.close()


MAKERS = {
    "chat completions": lambda: Served(
        "openai/x", said("Hello, ", "you."), called(("execute", ARGUMENTS), text="Look.\n")
    ),
    "chat completions in fences": lambda: Served(
        "openai/x", said("Hello, ", "you."), said(*FENCED), dialect="fenced"
    ),
    "anthropic": lambda: Served(
        "anthropic/claude-opus-4-5",
        stream(text("Hello, ", "you.")),
        stream(text("Look.\n"), use("a", ARGUMENTS), stop="tool_use"),
    ),
    "function": Function,
    "script": Scripted,
}


@pytest.fixture(params=MAKERS)
def made(request):
    made = MAKERS[request.param]()
    made.will("words")
    yield made
    made.close()


def test_it_says_who_it_is_and_what_it_can(made):
    assert made.model.name
    assert made.model.capabilities.context_window > 0


def test_words_arrive_and_the_reply_ends(made):
    events = ask(made.model)
    assert text_of(events) == "Hello, you."
    assert end_of(events) == "stop"
    assert [event for event in events if isinstance(event, ReplyFinished)] == [events[-1]]


def test_code_arrives_piece_by_piece_and_then_whole(made):
    made.will("action")
    events = ask(made.model)
    [action] = actions_of(events)
    assert (action.language, action.source) == ("python", SOURCE)
    assert code_of(events) == SOURCE
    assert text_of(events) == "Look.\n"
    assert end_of(events) == "actions"


def test_it_answers_again_and_again(made):
    made.will("words", "action", "words")
    replies = [ask(made.model) for _ in range(3)]
    assert [end_of(events) for events in replies] == ["stop", "actions", "stop"]


def test_an_interrupt_ends_it_without_an_error(made):
    interrupt = Interrupt()
    interrupt.request()
    events = ask(made.model, interrupt=interrupt)
    assert not [event for event in events if isinstance(event, ModelRetrying)]
    assert actions_of(events) == []


def test_leaving_in_the_middle_leaves_it_usable(made):
    made.will("words", "words")
    events = made.model.stream(request(), Interrupt())
    next(events)
    events.close()
    assert text_of(ask(made.model)) == "Hello, you."


def test_nothing_keeps_running_after_it_is_closed(made):
    before = set(threading.enumerate())
    ask(made.model)
    made.model.close()
    made.model.close()
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(10)
    assert not [t for t in left if t.is_alive() and t.name in ("model request", "litellm")]
