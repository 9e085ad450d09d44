"""No number is given that nobody computed, and no line is written that failed twice."""

from dataclasses import dataclass, field

import pytest

from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.faithful import faithful
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import next_request
from interpreter.protocol.events import ActionProposed, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says
from interpreter.protocol.ports import Capabilities, Request
from support.profiles import with_profile

QUESTION = user_says("What is the mean of x in t.csv?")
FAILING = "df = load()\nprint(df['y'].mean())"
TRACE = '  File "x", line 2\nKeyError: 5\n'


@dataclass
class Recorder:
    """A model that says what it is told to and keeps what it was asked."""

    script: list
    name = "recorder"
    capabilities = Capabilities()
    requests: list = field(default_factory=list)

    def stream(self, request, interrupt):
        self.requests.append(request)
        yield from ScriptedModel([self.script.pop(0)], piece=100).stream(request, interrupt)

    def close(self):
        pass


def replies(*script, messages=(QUESTION,)):
    model = Recorder(list(script))
    small = SmallModel(model, lambda number: model)
    events = list(small.stream(Request("Be brief.", tuple(messages)), Interrupt()))
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    ran = [event.action.source for event in events if isinstance(event, ActionProposed)]
    return said, ran, model


def block(source, output="", outcome="ok", summary="", errors=""):
    parts = [Output(output)] if output else []
    parts += [Output(errors, "stderr")] if errors else []
    return (
        Message("assistant", (Code("python", source, "c1"),)),
        Message("computer", (*parts, ActionResult("c1", outcome, summary))),
    )


def failed(source=FAILING, summary="TypeError: bad"):
    return block(source, outcome="failed", summary=summary, errors=TRACE)


def test_a_guess_that_is_repeated_is_not_given_as_an_answer():
    said, ran, model = replies("The mean is 51.3.", "As I said, it is 51.3.")
    assert said.startswith("I could not compute this")
    assert (ran, len(model.requests)) == ([], 2)


def test_a_guess_is_not_shown_before_it_is_known_to_be_one():
    said, ran, _ = replies("It is 5.", {"text": "So:\n", "code": "print(load())"})
    assert (said, ran) == ("So:\n", ["print(load())"])


def test_words_without_numbers_are_passed_on():
    said, _, _ = replies("I cannot tell.", "There is no such file here.")
    assert said == "There is no such file here."


def test_a_value_that_was_computed_but_not_printed_may_be_said():
    silent = block("total = f()\nprint(end='')", summary="variables: total: 42")
    said, _, model = replies("The mean is 42.", messages=(QUESTION, *silent))
    assert (said, len(model.requests)) == ("The mean is 42.", 1)
    said, _, _ = replies("The mean is 7.", "It is 7.", messages=(QUESTION, *silent))
    assert said.startswith("I could not compute this")


def test_what_an_order_did_is_told_without_invented_numbers():
    order = user_says("Rename all .txt files here to .md")
    done = block("rename()", errors="[files: renamed a.txt → a.md, renamed b.txt → b.md]\n")
    said, _, _ = replies("I renamed 30 files.", messages=(order, *done))
    assert said == "Done: renamed a.md, renamed b.md."
    said, _, _ = replies("All text files are renamed.", messages=(order, *done))
    assert said == "All text files are renamed."


@pytest.mark.parametrize("again", [FAILING, "import os\n" + FAILING])
def test_a_line_that_failed_twice_is_not_run_a_third_time(again):
    turn = (QUESTION, *failed(), *failed())
    said, ran, model = replies({"code": again}, {"code": "print(other())"}, messages=turn)
    assert "failed twice with the same error" in model.requests[1].messages[-1].text
    assert ran == ["print(other())"]
    said, ran, _ = replies({"code": again}, {"code": again}, messages=turn)
    assert ran == []
    assert (
        said
        == "I could not do this: \"print(df['y'].mean())\" fails each time with TypeError: bad."
    )


def test_what_the_model_is_told_is_wrong_is_not_said_to_the_user():
    profile = "\n\nt.csv: 3 rows x 1 columns\n- 'a' int 1 to 3"
    block = Message("assistant", (Code("python", "print('a is low')", "c1"),))
    done = Message("computer", (Output("a is low\n"), ActionResult("c1", "ok", "")))
    plan = next_request((with_profile(f"Is a low in t.csv?{profile}"), block, done))
    echo = (
        "The block printed the answer: that computes nothing. Read the file or compute the value."
    )
    assert plan.honest(echo).startswith("a is low")
    assert plan.honest("It is low, by the file.").startswith("It is low, by the file.")


def test_what_pandas_says_of_a_table_is_no_part_of_an_answer():
    printed = "term\ninvoice    7\nreturns    5\nName: count, dtype: int64\n"
    answer = "The terms are invoice with 7 and returns with 5 searches."
    assert faithful(answer, printed, "Top 2 terms?") == answer
    table = "term  n\ninvoice  7\nreturns  5\n\n[2 rows x 2 columns]\n"
    assert faithful("Invoice: 7", table, "Top 2 terms?").endswith("returns  5\n```")
