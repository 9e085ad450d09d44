"""The typed interpreter: events, results, values by hand, and answers of a type."""

import enum
from dataclasses import dataclass, field
from typing import Literal

import pytest

from interpreter import Interpreter
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import (
    AnswerInvalid,
    ConfigurationError,
    NotApproved,
    TransferFailed,
)
from interpreter.protocol.events import ApprovalRequested, OutputDelta, TextDelta, TurnFinished
from interpreter.protocol.messages import Code, user_says

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}


@pytest.fixture
def interpreter(script, tmp_path):
    made = []
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    def make(*replies, auto_run=True, **options):
        options = {"workspace": str(workspace), "auto_run": auto_run, **options}
        made.append(Interpreter(script(*replies), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_turn_is_a_stream_of_events(interpreter):
    with interpreter(ADD, "It is 5.") as it:
        events = list(it.stream("What is 2 + 3?"))
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    printed = "".join(event.text for event in events if isinstance(event, OutputDelta))
    assert (said, printed) == ("Adding.It is 5.", "5\n")
    assert events[-1] == TurnFinished("answered")


def test_a_question_has_a_result(interpreter):
    it = interpreter(ADD, "It is 5.")
    result = it.ask("What is 2 + 3?")
    assert (result.text, str(result), result.end) == ("It is 5.", "It is 5.", "answered")
    (block,) = result.blocks
    assert (block.language, block.source) == ("python", "x = 2 + 3\nprint(x)")
    assert (block.output, block.ok) == ("5\n", True)
    assert (result.files, result.images) == ((), ())
    assert result.cost.requests == 2
    assert result.value("x") == 5
    assert [message.role for message in result.messages] == ["assistant", "computer", "assistant"]


def test_files_and_pictures_are_in_the_result(interpreter):
    source = """
from IPython.display import Image, display
display(Image(data=bytes.fromhex("89504e470d0a1a0a"), format="png"))
open("made.txt", "w").write("hello")"""
    result = interpreter({"code": source}, "Done.").ask("go")
    assert [(face.media_type, face.data[:4]) for face in result.images] == [
        ("image/png", b"\x89PNG")
    ]
    assert [(change.path.rpartition("/")[2], change.kind) for change in result.files] == [
        ("made.txt", "added")
    ]


def test_a_block_that_fails_is_news(interpreter):
    block = interpreter({"code": "1 / 0"}, "Oh.").ask("go").blocks[0]
    assert (block.outcome, block.ok) == ("failed", False)
    assert "ZeroDivisionError" in block.summary


def test_nothing_runs_unless_somebody_says_yes(interpreter):
    it = interpreter(ADD, "It is 5.", auto_run=False)
    with pytest.raises(NotApproved, match="auto_run=True"):
        it.ask("go")
    assert it.messages[-1].actions == (Code("python", "x = 2 + 3\nprint(x)", "call_1"),)


def test_code_that_was_left_can_be_run_later(interpreter):
    answers = iter([None, Decision("yes")])

    def approve(request):
        decision = next(answers)
        if decision is None:
            raise KeyboardInterrupt
        return decision

    it = interpreter(ADD, "It is 5.", auto_run=False, approve=approve)
    with pytest.raises(KeyboardInterrupt):
        it.ask("go")
    assert it.proceed().text == "It is 5."


def test_code_is_allowed_while_its_event_is_at_hand(interpreter):
    it = interpreter(ADD, "It is 5.", auto_run=False)
    for event in it.stream("go"):
        match event:
            case ApprovalRequested(Code("python", source)):
                assert "2 + 3" in source
                it.allow()
    assert it.last.text == "It is 5."


def test_a_reason_for_declining_goes_to_the_model(interpreter):
    it = interpreter(ADD, "As you like.", auto_run=False)
    for event in it.stream("go"):
        if isinstance(event, ApprovalRequested):
            it.decline("use subtraction")
    assert it.last.text == "As you like."
    assert it.messages[2].results[0].summary == "use subtraction"


def test_an_approver_is_asked(interpreter):
    asked = []

    def approve(request):
        asked.append(request.action.source)
        return Decision("yes")

    assert interpreter(ADD, "5.", auto_run=False, approve=approve).ask("go").text == "5."
    assert asked == ["x = 2 + 3\nprint(x)"]


def test_blocks_run_by_hand_in_the_same_repl(interpreter):
    it = interpreter({"code": "print(secret + 1)"}, "Done.")
    assert it.run("python", "secret = 41").ok
    assert it.ask("go").blocks[0].output == "42\n"
    assert it.run("shell", "echo hi").output == "hi\n"
    assert it.run("python", "secret").text == "41"


def test_what_a_block_did_is_undone(interpreter, tmp_path):
    it = interpreter({"code": "n = 2\nopen('made.txt', 'w').write('x')"}, "Done.")
    it.run("python", "n = 1")
    it.ask("go")
    made = tmp_path / "workspace" / "made.txt"
    assert (made.exists(), it.value("n")) == (True, 2)
    assert it.undo()
    assert (made.exists(), it.value("n")) == (False, 1)
    it.redo()
    assert (made.exists(), it.value("n")) == (True, 2)


def test_settings_are_checked():
    with pytest.raises(ConfigurationError, match="there is no setting 'modle'"):
        Interpreter(modle="x")
    with pytest.raises(ConfigurationError, match="'max_steps' must be of type int"):
        Interpreter(max_steps="many")


def test_a_profile_lies_below_the_arguments(script, tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("llm.model: x\nauto_run: true\n")
    settings = Interpreter("y", profile=str(profile)).settings
    assert (settings.model, settings.auto_run) == ("y", True)


def test_a_closed_interpreter_says_so(interpreter):
    it = interpreter("Hello.")
    it.close()
    with pytest.raises(ConfigurationError, match="is closed"):
        it.ask("hi")


def test_a_session_is_resumed(interpreter, script):
    it = interpreter("Nice to meet you.")
    it.ask("I am Ada.")
    it.close()
    again = interpreter("You are Ada.", resume="last")
    again.ask("Who am I?")
    assert [message.text for message in again.messages] == [
        *("I am Ada.", "Nice to meet you.", "Who am I?", "You are Ada.")
    ]


# Values.


@pytest.mark.parametrize(
    "source",
    [
        *("None", "True", "7", "1.5", "float('inf')", "'text ü'", "b'bytes'", "1 + 2j"),
        *("[1, [2]]", "(1, 2)", "{1, 2}", "frozenset({1})", "{'a': {'b': 1}}", "{1: 'x', (2,): 3}"),
        *("{'$': 'tuple'}", "__import__('pathlib').Path('/tmp/x')"),
        "__import__('datetime').datetime(2026, 11, 15, 9, 30)",
        "__import__('datetime').date(2026, 11, 15)",
        "__import__('datetime').timedelta(days=1, microseconds=5)",
        "__import__('decimal').Decimal('1.10')",
        "__import__('uuid').UUID(int=5)",
    ],
)
def test_plain_data_comes_and_goes_as_it_is(interpreter_for_values, source):
    expected = eval(source)
    brought = interpreter_for_values.value(source)
    assert (type(brought), brought) == (type(expected), expected)
    interpreter_for_values.put("handed_in", expected)
    assert interpreter_for_values.value(f"handed_in == {source}") is True


@pytest.fixture(scope="module")
def interpreter_for_values(tmp_path_factory):
    with Interpreter(
        "scripted/demo", workspace=str(tmp_path_factory.mktemp("values")), keep_history=False
    ) as it:
        yield it


def test_arrays_come_and_go(interpreter_for_values):
    import numpy

    array = numpy.arange(6, dtype="float32").reshape(2, 3)
    interpreter_for_values.put("array", array)
    brought = interpreter_for_values.value("array * 2")
    assert brought.dtype == "float32"
    assert (brought == array * 2).all()
    assert interpreter_for_values.value("array.sum()") == 15.0


def test_tables_come_and_go(interpreter_for_values):
    import pandas

    frame = pandas.DataFrame(
        {
            "n": [1, 2],
            "x": [0.5, None],
            "s": ["a", "ü"],
            "when": [pandas.Timestamp(2026, 1, 1), pandas.Timestamp(2026, 1, 2, 3, 4)],
        },
        index=["one", "two"],
    )
    interpreter_for_values.put("frame", frame)
    pandas.testing.assert_frame_equal(interpreter_for_values.value("frame"), frame)
    assert interpreter_for_values.value("frame.n.sum()") == 3
    column = interpreter_for_values.value("frame['n']")
    pandas.testing.assert_series_equal(column, frame["n"])


def test_what_is_not_data_is_refused_unless_trust_is_declared(interpreter_for_values):
    it = interpreter_for_values
    it.run("python", "class Odd:\n    x = 1\nodd = slice(1, 2)")
    with pytest.raises(TransferFailed, match="slice is not plain data.*unpickle=True"):
        it.value("odd")
    assert it.value("odd", unpickle=True) == slice(1, 2)
    with pytest.raises(TransferFailed, match="object is not plain data"):
        it.put("x", object())


def test_a_pickle_in_the_files_of_data_is_never_loaded(interpreter_for_values, tmp_path):
    it = interpreter_for_values
    mark = tmp_path / "ran"
    it.run(
        "python",
        f"""
import builtins, json, numpy, os
class Bomb:
    def __reduce__(self):
        return (os.mkdir, ({str(mark)!r},))
bomb = numpy.array([Bomb()], dtype=object)
""",
    )
    with pytest.raises(TransferFailed):
        it.value("bomb")
    assert not mark.exists()


def test_a_link_planted_in_the_way_is_not_followed(interpreter_for_values, tmp_path):
    it = interpreter_for_values
    secret = tmp_path / "secret.json"
    secret.write_text('"secret"')
    it.run(
        "python",
        f"""
import pathlib as _p
_write = _p.Path.write_bytes
def planted(self, data):
    if self.suffix == ".json":
        self.symlink_to({str(secret)!r})
    else:
        _write(self, data)
_p.Path.write_bytes = planted
""",
    )
    try:
        with pytest.raises(TransferFailed, match="did not arrive"):
            it.value("1")
    finally:
        it.run("python", "_p.Path.write_bytes = _write")


def test_a_wrong_name_is_a_clear_error(interpreter_for_values):
    with pytest.raises(TransferFailed, match="NameError"):
        interpreter_for_values.value("nowhere")
    with pytest.raises(TransferFailed, match="is not an expression"):
        interpreter_for_values.value("x = 1")
    with pytest.raises(TransferFailed, match="not a name"):
        interpreter_for_values.put("a b", 1)


def test_bringing_values_over_leaves_no_names_behind(interpreter_for_values):
    before = interpreter_for_values.value("sorted(globals())")
    interpreter_for_values.value("1 + 1")
    interpreter_for_values.put("one", 1)
    after = interpreter_for_values.value("sorted(globals())")
    new = {name for name in set(after) - set(before) if not name.startswith("_i")}
    assert new <= {"one"}


# Answers of a type.


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class City:
    """A city and some facts."""

    name: str
    people: int
    area: float
    colour: Colour
    size: Literal["small", "large"]
    twins: list[str] = field(default_factory=list)
    mayor: str | None = None


GOOD = '{"name": "Bern", "people": 134591, "area": 52, "colour": "red", "size": "large"}'
BERN = City("Bern", 134591, 52.0, Colour.RED, "large")


def test_an_answer_is_a_value_of_the_type(interpreter):
    it = interpreter(f"Here you are:\n```json\n{GOOD}\n```")
    assert it.ask("Which city?", returns=City) == BERN
    assert '"people": {"type": "integer"}' in it.messages[0].text


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("Bern, of course.", "not JSON"),
        (GOOD.replace("134591", '"many"'), 'people must be integer, not "many"'),
        (GOOD.replace("134591", "true"), "people must be integer, not true"),
        (GOOD.replace('"red"', '"green"'), "'green' is not a valid Colour"),
        (GOOD.replace('"large"', '"huge"'), "size must be one of"),
        (GOOD.replace('"name": "Bern", ', ""), "lacks name"),
        (GOOD.replace("{", '{"zip": 3000, '), "unknown 'zip'"),
    ],
)
def test_a_wrong_answer_is_told_to_the_model_and_asked_again(interpreter, wrong, problem):
    it = interpreter(wrong, GOOD)
    assert it.ask("Which city?", returns=City) == BERN
    assert problem in it.messages[2].text


def test_an_answer_that_stays_wrong_is_an_error(interpreter):
    it = interpreter("No.", "No.", "No.", "never")
    with pytest.raises(AnswerInvalid, match="not JSON"):
        it.ask("Which city?", returns=City)
    assert len(it.messages) == 6


def test_other_types_can_be_asked_for(interpreter):
    it = interpreter("```json\n[1, 2]\n```", "7", '{"a": [["x", 1]]}')
    assert it.ask("?", returns=list[int]) == [1, 2]
    assert it.ask("?", returns=int) == 7
    assert it.ask("?", returns=dict[str, list[tuple[str, int]]]) == {"a": [("x", 1)]}
    with pytest.raises(TypeError, match="cannot be asked for"):
        it.ask("?", returns=object)


def test_a_message_with_parts_can_be_sent(interpreter):
    assert interpreter("Hello.").ask(user_says("hi")).text == "Hello."
