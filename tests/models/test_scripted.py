import pytest

from interpreter.models.scripted import ScriptedModel, ScriptedReply, load
from interpreter.protocol.errors import ConfigurationError, RateLimited, ScriptEnded
from interpreter.protocol.events import ActionProposed, CodeDelta, ReplyFinished, TextDelta, Usage
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.ports import Request

ANYTHING = Request("", ())


def say(model):
    return list(model.stream(ANYTHING, Interrupt()))


def written(tmp_path, text):
    path = tmp_path / "script.yaml"
    path.write_text(text)
    return path


def test_a_reply_is_played_in_pieces():
    model = ScriptedModel([{"text": "Hello", "code": "1 + 1"}], piece=4)
    code = Code("python", "1 + 1", "call_1")
    assert say(model) == [
        *(TextDelta("Hell"), TextDelta("o")),
        *(CodeDelta("python", "1 + ", "call_1"), CodeDelta("python", "1", "call_1")),
        ActionProposed(code),
        ReplyFinished("actions", Usage(output=2)),
    ]


def test_a_reply_may_call_a_tool():
    call = {"tool": "search", "arguments": '{"q": 1}'}
    assert ActionProposed(ActionCall("search", '{"q": 1}', "call_1")) in say(ScriptedModel([call]))


def test_a_script_that_is_over_says_so():
    model = ScriptedModel(["one"], name="short")
    say(model)
    with pytest.raises(ScriptEnded, match="'short' has ended: it has 1 replies"):
        say(model)


def test_a_script_may_begin_again():
    model = ScriptedModel(["one"], repeat=True)
    assert say(model) == say(model)


def test_a_fault_comes_after_what_was_said():
    model = ScriptedModel([{"text": "Well", "fault": "rate_limited"}])
    events = []
    with pytest.raises(RateLimited):
        events.extend(model.stream(ANYTHING, Interrupt()))
    assert events == [TextDelta("Well")]


def test_a_reply_cut_off_by_its_length_proposes_nothing():
    events = say(ScriptedModel([{"code": "while T", "fault": "length"}]))
    assert [type(event) for event in events] == [CodeDelta, ReplyFinished]
    assert events[-1].end == "length"


def test_an_interrupt_ends_a_waiting_reply():
    interrupt = Interrupt()
    interrupt.request()
    model = ScriptedModel([ScriptedReply(text="x", delay=60)])
    assert list(model.stream(ANYTHING, interrupt)) == []


def test_a_script_is_read_from_a_file(tmp_path):
    path = written(tmp_path, "- Hello\n- text: Look\n  code: ls\n  language: shell\n")
    model = load(path)
    assert say(model)[0] == TextDelta("Hello")
    assert ActionProposed(Code("shell", "ls", "call_1")) in say(model)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- [", "Cannot read the script"),
        ("just: wrong", "is not a list of replies"),
        ("", "is not a list of replies"),
        ("- nonsense: 1", "Reply 1 of the script is not a text or a mapping"),
        ("- ok\n- 7", "Reply 2 of the script is not a text or a mapping"),
        ("- delay: soon", "`delay` is a number of seconds"),
        ("- fault: fire", "`fault` is one of length, unreachable"),
    ],
)
def test_a_script_that_is_wrong_says_where(tmp_path, text, complaint):
    with pytest.raises(ConfigurationError, match=complaint):
        load(written(tmp_path, text))


def test_a_script_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ConfigurationError, match="Cannot read the script"):
        load(tmp_path / "nowhere.yaml")
