"""Programs that were written independently, and whose word is taken."""

import pytest

from interpreter.models.small.form.asked import form_of
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.requests import STEP_BY_STEP
from interpreter.models.small.rounds import Round
from interpreter.models.small.votes import agree, is_an_answer
from interpreter.protocol.events import ActionProposed, CodeDelta, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says
from interpreter.protocol.ports import Capabilities, Request
from support.profiles import with_profile

QUESTION = user_says("What is the mean of x in t.csv?")
FORMED = user_says("How many rows are in t.csv? Answer as JSON with count")


class Teller:
    """A model that says what it was made with, and keeps what it was asked."""

    name = "embedded/teller"
    capabilities = Capabilities()

    def __init__(self, says="It is said."):
        self.says = says
        self.requests = []

    def stream(self, request, interrupt):
        self.requests.append(request)
        yield TextDelta(self.says)
        yield ReplyFinished("stop")

    def close(self):
        pass


class Session:
    """A turn in which blocks print what `prints` says; drafts come from a list."""

    def __init__(self, question, prints, drafts, says="It is said.", together=2):
        self.model = Teller(says)
        self.prints = prints
        self.drafts = drafts
        self.asked_for_drafts = []
        self.now = 0.0
        self.told = []
        self.small = SmallModel(
            self.model,
            lambda number: self.model,
            self._draft,
            notice=self.told.append,
            together=together,
            clock=lambda: self.now,
        )
        self.messages = [question]

    def _draft(self, request, numbers, interrupt):
        self.asked_for_drafts.append(request)
        return tuple(Code("python", source) for source in self.drafts[numbers.start : numbers.stop])

    def ran(self, source, note=""):
        """Record that a block ran."""
        output = self.prints[source]
        failed = output.startswith("!")
        end = ActionResult("c", "failed" if failed else "ok", output[1:] if failed else "")
        parts = () if failed else (Output(f"{output}\n"),)
        parts += (Output(note, "stderr"),) if note else ()
        self.messages += [
            Message("assistant", (Code("python", source, "c"),)),
            Message("computer", (*parts, end)),
        ]

    def go_on(self):
        """What is proposed next, or said."""
        events = list(self.small.stream(Request("", tuple(self.messages)), Interrupt()))
        proposed = [e.action.source for e in events if isinstance(e, ActionProposed)]
        words = "".join(e.text for e in events if isinstance(e, TextDelta))
        return proposed[0] if proposed else words

    def run(self, first):
        """Run the first block and every draft that is proposed; what is said in the end."""
        following, ran = first, []
        while following in self.prints:
            self.ran(following)
            ran.append(following)
            following = self.go_on()
        return following, ran


def test_what_two_programs_print_is_the_answer():
    session = Session(
        FORMED, {"a": '{"count": 3}', "b": '{"count": 4}', "c": '{"count": 4}'}, ["b", "c"]
    )
    assert session.run("a") == ('{"count": 4}', ["a", "b", "c"])


def test_nothing_more_runs_once_two_agree():
    session = Session(
        FORMED, {"a": '{"count": 4}', "b": '{"count": 4}', "c": '{"count": 5}'}, ["b", "c"]
    )
    assert session.run("a") == ('{"count": 4}', ["a", "b"])


def test_the_same_program_again_counts_and_does_not_run():
    session = Session(FORMED, {"a": '{"count": 4}', "b": '{"count": 5}'}, ["a", "b", " a\n"])
    assert session.run("a") == ('{"count": 4}', ["a"])


def test_drafts_are_written_once_and_for_the_question_alone():
    session = Session(
        FORMED, {"a": '{"count": 3}', "b": '{"count": 4}', "c": '{"count": 4}'}, ["b", "c"]
    )
    session.run("a")
    assert len(session.asked_for_drafts) == 2
    for request in session.asked_for_drafts:
        assert [message.role for message in request.messages] == ["user"]
        assert '{"count": 3}' not in request.messages[0].text


def test_others_are_asked_for_behind_what_was_read_and_in_turns_as_the_first_one_was():
    prints = {name: f'{{"count": {value}}}' for name, value in zip("abc", "122", strict=True)}
    session = Session(FORMED, prints, ["b", "c"], together=1)
    session.small.stream(Request("", tuple(session.messages)), Interrupt()).__next__()
    first = session.model.requests[0]
    assert session.run("a") == ('{"count": 2}', ["a", "b", "c"])
    other, again = session.asked_for_drafts
    assert [one.system for one in (first, other, again)] == [first.system] * 3
    assert other.messages[0].text == f"{first.messages[0].text}\n\n{STEP_BY_STEP}"
    assert again.messages == first.messages


def test_more_are_written_only_where_the_first_do_not_agree():
    prints = {name: f'{{"count": {value}}}' for name, value in zip("abcde", "12344", strict=True)}
    session = Session(FORMED, prints, ["b", "c", "d", "e", "never"])
    assert session.run("a") == ('{"count": 4}', ["a", "b", "c", "d", "e"])
    assert len(session.asked_for_drafts) == 3


def test_where_two_take_twice_as_long_as_one_they_are_written_one_at_a_time():
    prints = {name: f'{{"count": {value}}}' for name, value in zip("abcde", "12344", strict=True)}
    session = Session(FORMED, prints, ["b", "c", "d", "e", "never"], together=1)
    assert session.run("a") == ('{"count": 4}', ["a", "b", "c", "d", "e"])
    assert len(session.asked_for_drafts) == 4


def test_an_answer_that_no_other_program_gave_is_in_doubt():
    failing = dict.fromkeys("acd", "!ValueError: no")
    prints = {**failing, "b": "4 rows"}
    session = Session(user_says("How many rows has t.csv?"), prints, ["b", "c", "d"], "4 rows.")
    said, _ = session.run("a")
    assert "(Not sure: no other program that was written for this confirms it.)" in said


def test_after_a_failure_drafts_know_what_went_wrong():
    prints = {"a": "!KeyError: 'y'", "b": "!ValueError: no"}
    prints |= dict.fromkeys("cd", '{"count": 4}')
    session = Session(FORMED, prints, ["b", "c", "d"])
    assert session.run("a") == ('{"count": 4}', ["a", "b", "c", "d"])
    for request in session.asked_for_drafts:
        assert "- KeyError: 'y' Use only column names" in request.messages[-1].text


def test_a_draft_whose_error_says_what_to_do_is_put_right_and_runs_once_more():
    mended = "import json\n\nprint(json.dumps({'count': n}))"
    unmended = "print(json.dumps({'count': n}))"
    answer, error = '{"count": 4}', "!NameError: name 'json' is not defined"
    session = Session(FORMED, {"a": answer, unmended: error, mended: answer}, [unmended])
    assert session.run("a") == (answer, ["a", unmended, mended])


def test_after_an_output_in_another_form_drafts_are_told_so():
    whole = '{"count": 4}'
    session = Session(FORMED, {"a": "4 rows", "b": whole, "c": whole}, ["b", "c"])
    assert session.run("a")[0] == whole
    told = session.asked_for_drafts[0].messages[-1].text
    assert "An earlier attempt printed 4 rows\nThe output is no dictionary." in told


def test_after_a_program_that_prints_nothing_drafts_are_told_to_print():
    session = Session(FORMED, {"a": "", "b": '{"count": 4}', "c": '{"count": 4}'}, ["b", "c"])
    assert session.run("a") == ('{"count": 4}', ["a", "b", "c"])
    assert "An earlier attempt printed nothing." in session.asked_for_drafts[0].messages[-1].text


def test_what_was_computed_last_and_not_printed_is_shown():
    prints = {"x = 1\ntotal = x + 6": "", "print(total)": "7"}
    session = Session(QUESTION, prints, [], says="It is 7.")
    assert session.run("x = 1\ntotal = x + 6") == ("It is 7.", [*prints])


def test_programs_that_fail_or_say_nothing_do_not_vote():
    prints = {"a": '{"count": NaN}', "b": "!NameError: x", "c": '{"count": 4}'}
    assert Session(FORMED, prints, ["b", "c"]).run("a")[0] == '{"count": 4}'


def test_doubt_is_told_when_each_says_something_else():
    session = Session(QUESTION, {"a": "1", "b": "2", "c": "3"}, ["b", "c"], says="It is 1.")
    answer, ran = session.run("a")
    assert answer.startswith("It is 1.\n\n(Not sure: ")
    assert ran == ["a", "b", "c"]


def test_an_answer_in_json_stays_json_and_the_doubt_is_told_beside_it():
    prints = {"a": '{"count": 1}', "b": '{"count": 2}', "c": '{"count": 3}'}
    session = Session(FORMED, prints, ["b", "c"])
    assert session.run("a")[0] == '{"count": 1}'
    assert [text[:10] for text in session.told] == ["(Not sure:"]


def test_an_answer_in_words_is_made_of_what_most_programs_print():
    prints = {"a": "mean: 2.5", "b": "The mean is 3.25", "c": "3.250"}
    session = Session(QUESTION, prints, ["b", "c"], says="The mean is 3.25.")
    assert session.run("a")[0] == "The mean is 3.25."
    assert "The code printed:\nThe mean is 3.25" in session.model.requests[-1].messages[-1].text


@pytest.mark.parametrize(
    ("question", "output", "note"),
    [
        ("Delete the rows of t.csv without a name", "done", ""),
        ("How many rows are in t.csv?", "7", "[files: modified t.csv]\n"),
        ("Show the files here", "\n".join(map(str, range(30))), ""),
        ("Hello!", "7", ""),
    ],
    ids=["an order", "a block that wrote", "a listing", "small talk"],
)
def test_no_program_runs_beside_one_that_need_not_or_must_not_be_checked(question, output, note):
    session = Session(user_says(question), {"a": output}, ["b"])
    session.ran("a", note)
    session.go_on()
    assert session.asked_for_drafts == []


def test_what_took_long_is_not_done_again():
    session = Session(FORMED, {"a": '{"count": 3}'}, ["b"])
    session.now += 21
    assert session.run("a") == ('{"count": 3}', ["a"])
    assert session.asked_for_drafts == []


def test_without_drafts_the_first_program_is_believed():
    assert Session(FORMED, {"a": '{"count": 3}'}, []).run("a") == ('{"count": 3}', ["a"])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2.5", "mean: 2.50", True),
        ("2.5", "2.46", True),
        ("2.5", "2.4", False),
        ("1,200", "1200", True),
        ("Oslo", "oslo", True),
        ("Oslo", "Rome", False),
        ('{"a": 1, "b": "x"}', '{"b": "X", "a": 1.0}', True),
        ('{"a": 1, "b": 2}', '{"a": 1}', False),
        ("3 and 4", "3", False),
        ("r: 0.6\nstrength: weak", "r: 0.6\nstrength: moderate", False),
        ("r: 0.6\nstrength: weak", "r is 0.6\nIts strength is weak", True),
        ("r: 0.6\nstrength: weak", "0.6", True),
    ],
)
def test_outputs_agree_when_their_values_do(one, other, same):
    assert agree(one, other) is same
    assert agree(other, one) is same


def compared(source, output):
    return Round(f"```python\n{source}\n```", source, False, output, "", "", to_compare=True)


def test_a_program_that_only_shows_what_the_first_computed_does_not_confirm_it():
    asked, shown = "How many rows are in t.csv?", "print({'count': count})"
    reads = "rows = [1 for line in open('t.csv')]\nprint(len(rows))"
    assert not is_an_answer(asked, compared(shown, "3\n"))
    assert is_an_answer(asked, compared(reads, "3\n"))
    first = Round(shown, shown, False, "3\n", "", "")
    assert is_an_answer(asked, first)


def test_drafts_are_not_told_to_show_what_the_first_computed():
    messages = (
        FORMED,
        Message("assistant", (Code("python", "count = f()\nprint(count)", "c"),)),
        Message("computer", (Output("3\n"), ActionResult("c", "ok", "variables: count: 3"))),
    )
    told = SmallTurn.of(messages).for_draft(Request("", ()), 0).messages[-1].text
    assert "The output is no dictionary" in told
    assert "Do not compute them again" not in told


def test_a_number_in_the_name_of_a_value_is_no_value():
    assert agree("4", "samples with more than 50 mg/l: 4")
    assert not agree("50", "samples with more than 50 mg/l: 4")
    assert agree("mean: 3, deviation: 4", "the mean: 3, the deviation: 4")


class Restless(Teller):
    """A model that writes one more block beside its words."""

    def stream(self, request, interrupt):
        self.requests.append(request)
        yield TextDelta(self.says)
        yield CodeDelta("python", "print(99)")
        yield ActionProposed(Code("python", "print(99)"))
        yield ReplyFinished("actions")


@pytest.mark.parametrize(
    ("says", "answer"), [("The mean is 4.", "The mean is 4."), ("Let me check that:", "mean: 4")]
)
def test_after_programs_were_compared_words_are_wanted_and_no_other_block(says, answer):
    session = Session(QUESTION, {"a": "mean: 4", "b": "mean: 4.0"}, ["b"])
    session.model = Restless(says)
    session.small = SmallModel(session.model, lambda number: session.model, session._draft)
    said, ran = session.run("a")
    assert (said, ran) == (answer, ["a", "b"])
    assert "write the next" not in session.model.requests[-1].messages[-1].text


def test_a_draft_that_calls_a_column_in_another_way_runs_once_more_and_is_only_compared():
    asked = with_profile(
        "What is the mean price in t.csv?\n\nt.csv: 3 rows\n- 'price' float 1 to 9"
    )
    draft = "import pandas as pd\nprint(pd.read_csv('t.csv')['Price'].mean())"
    messages = [
        asked,
        Message("assistant", (Code("python", "print(mean_of('t.csv'))", "c"),)),
        Message("computer", (Output("3.5\n"), ActionResult("c", "ok", ""))),
        Message("assistant", (Code("python", draft, "d", to_compare=True),)),
        Message("computer", (ActionResult("d", "failed", "KeyError: 'Price'"),)),
    ]
    session = Session(asked, {}, [])
    events = session.small.stream(Request("", tuple(messages)), Interrupt())
    (again,) = [event.action for event in events if isinstance(event, ActionProposed)]
    assert again.source == draft.replace("'Price'", "'price'")
    assert again.to_compare


def test_values_for_the_places_of_a_form_are_asked_for_by_their_names():
    wish = "Give the answer in this format: Total: <sum>, Mean: <mean>"
    asked = SmallTurn.of((user_says(f"What are the units in t.csv? {wish}"),)).asked
    assert "prints a line for each of Total, Mean: its name" in asked[-1].text


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("this format: @skew[skew_value] @kind[kind_value], where", "\nskew: <skew_value>\nkind: "),
        ("the form: mean = {mean}, n = {n}", "the form: \nmean: <mean>\nn: <n>"),
        ("the form: <first> and <second>", "the form: \nfirst: <first>\nsecond: <second>"),
        ("the form: Total: <sum>", "the form: Total: <sum>"),
        ("the form: [x] or [x]", "the form: [x] or [x]"),
        ("lines for each of them, in the form: <a>, <b>", "the form: <a>, <b>"),
        ("a file. Rename all in the format: <day>_<name>.txt", "the format: <day>_<name>.txt"),
        ("a short form", "a short form"),
    ],
)
def test_a_form_with_places_is_shown_as_lines(form, shown):
    question = f"What is the mean of x in t.csv? Give the answer in {form}"
    (asked,) = SmallTurn.of((user_says(question),)).asked
    assert shown in asked.text


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of t.csv? Answer in this format: Total: <amount> of <all> in 2024.",
        "What does the pattern: [a-z]+ match in t.csv?",
        "Explain the pattern: Map<String, Integer> in Java, and when to use it for a file.",
        "Is this form: list[int] valid for the files?",
    ],
)
def test_what_is_more_than_names_and_places_stays_as_it_is(question):
    assert SmallTurn.of((user_says(question),)).asked[-1].text.startswith(question)


@pytest.mark.parametrize(
    ("form", "kept"),
    [
        ("Total: <amount>. Only count rows of 2024.", "Total: <amount>. Only count rows of 2024."),
        ("Mean: <mean>\nRound to 2 decimals, ages where x is known.", "\nRound to 2 decimals"),
        ("min: <x>, max: <y>\n\nUse only rows with stock > 0.", "Use only rows with stock > 0."),
    ],
)
def test_what_is_said_behind_a_form_is_kept(form, kept):
    question = f"What is the total of t.csv? Answer in this format: {form}"
    assert kept in SmallTurn.of((user_says(question),)).asked[-1].text
    assert form_of(question.replace("\n\n", "\n")).written("3\n4").count("Use") == 0


def test_late_what_one_of_several_programs_found_is_given_with_a_doubt():
    counts = "print(len(open('t.csv').readlines()), 'rows')"
    messages = (
        user_says("How many rows of t.csv are there?"),
        Message("assistant", (Code("python", "rows = f()", "c"),)),
        Message("computer", (ActionResult("c", "failed", "ValueError: no"),)),
        Message("assistant", (Code("python", counts, "d", to_compare=True),)),
        Message("computer", (Output("3 rows\n"), ActionResult("d", "ok", ""))),
    )
    plan = SmallTurn.of(messages).next_request(is_late=True)
    assert plan.answer == "3 rows"
    assert "no other program that was written for this confirms it" in plan.doubt
