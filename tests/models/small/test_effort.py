"""How long a small model works on one request, and replies that never end."""

import pytest

from interpreter.models.small.effort import (
    ALIKE,
    CIRCLES,
    LEAST_SECONDS,
    MORE_SECONDS,
    MUCH,
    TIMES,
    Effort,
    without_circles,
)
from interpreter.models.small.failures import last_word
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import SmallTurn
from interpreter.models.small.prompts.words import NOT_ANSWERED, UNCONFIRMED
from interpreter.models.small.rounds import Round
from interpreter.protocol.events import ActionProposed, CodeDelta, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    MalformedCall,
    Message,
    Output,
    user_says,
)
from interpreter.protocol.ports import Capabilities, Request

QUESTION = user_says("What is the mean of x in t.csv?")
ORDER = user_says("Save the rows of t.csv where x is above 3 as big.csv.")


def test_a_turn_has_a_multiple_of_what_its_first_program_took_and_a_new_one_begins_anew():
    effort = Effort()
    effort.of_turn("one")
    effort.add(LEAST_SECONDS)
    assert not effort.is_spent
    effort.add(LEAST_SECONDS * (TIMES - 1.5))
    assert not effort.is_spent
    effort.add(0.6)
    assert effort.is_spent  # another one takes about half as long as the first
    effort.of_turn("two")
    assert not effort.is_spent


class Slow:
    """A model that takes a while for each of its blocks, and never succeeds."""

    name = "embedded/slow"
    capabilities = Capabilities()

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = 0.0
        self.written = 0

    def stream(self, request, interrupt):
        source = self._next()
        yield CodeDelta("python", source)
        yield ActionProposed(Code("python", source, "c"))
        yield ReplyFinished("actions")

    def draft(self, request, numbers, interrupt):
        return tuple(Code("python", self._next()) for _ in numbers)

    def _next(self):
        self.now += self.seconds
        self.written += 1
        return f"import pandas as pd\nprint(f{self.written}(pd))"

    def close(self):
        pass


def outcome_of(question, result, seconds=20.0, error="ValueError: no"):
    """What is said in the end where every block has the same result, and what was written."""
    model = Slow(seconds)
    small = SmallModel(
        model, lambda number: model, model.draft, together=1, clock=lambda: model.now
    )
    messages = [question]
    for _ in range(30):
        events = list(small.stream(Request("", tuple(messages)), Interrupt()))
        actions = [event.action for event in events if isinstance(event, ActionProposed)]
        if not actions:
            return "".join(e.text for e in events if isinstance(e, TextDelta)), model
        messages += [
            Message("assistant", (actions[0],)),
            Message("computer", (*result, ActionResult("c", *outcome_in(result, error)))),
        ]
    raise AssertionError("it never ends")


def outcome_in(result, error):
    return ("ok", "") if result else ("failed", error)


@pytest.mark.parametrize("question", [QUESTION, ORDER])
def test_what_has_not_worked_after_a_while_is_said_not_to_have_worked(question):
    said, model = outcome_of(question, ())
    assert said.startswith("I could not do this: ")
    assert "ValueError: no" in said
    assert model.now <= TIMES * model.seconds + 2 * model.seconds


def test_an_order_that_failed_on_copies_alone_says_that_nothing_was_changed():
    said, _ = outcome_of(ORDER, ())
    assert said.endswith("Your files are as they were.")


def test_a_model_that_is_quick_tries_more_often():
    _, slow = outcome_of(QUESTION, (), seconds=20.0)
    _, quick = outcome_of(QUESTION, (), seconds=1.0)
    assert quick.written > slow.written


def test_what_was_printed_is_given_where_no_time_is_left_for_better():
    said, model = outcome_of(QUESTION, (Output("nan\n"),))
    assert model.now <= TIMES * model.seconds + 2 * model.seconds
    assert said.strip()


def pieces(text):
    return [CodeDelta("python", piece) for piece in text.splitlines(keepends=True)]


SLOW = 15 * 3  # characters a second: 15 tokens, of which code has more than prose


@pytest.mark.parametrize(
    "round_",
    [
        'df["price"] = df["price"].astype(float)\n',
        "    x = f(x)\n",
        "if x > 3:\n    x = f(x)\n    y = g(x)\n",
        "        [None, None, None],\n",
        "print(1)\nprint(2)\n",
    ],
)
def test_a_block_that_goes_round_in_circles_is_cut_off_within_a_minute(round_):
    *written, cut, end = without_circles(iter([TextDelta("So:"), *pieces(round_ * 1_000)]))
    size = sum(len(piece.text) for piece in written[1:])
    assert MUCH <= size <= MUCH + 2 * len(round_)
    assert size / SLOW <= 60
    assert cut == ActionProposed(MalformedCall("", CIRCLES))
    assert end.end == "actions"


@pytest.mark.parametrize(
    "line", ['df["c{}"] = df["c{}"].astype(float)\n', "self.assertEqual(roman({}), 'x')\n"]
)
def test_lines_that_differ_in_their_values_alone_are_cut_off_after_many(line):
    endless = "".join(line.replace("{}", str(n)) for n in range(1_000))
    *written, cut, _ = without_circles(iter(pieces(endless)))
    assert len(written) == 1 + ALIKE
    assert cut == ActionProposed(MalformedCall("", CIRCLES))


@pytest.mark.parametrize(
    "source",
    [
        "names = [\n" + "".join(f'    "name {n}",\n' for n in range(80)) + "]\n",
        "".join(f'print("{n}")\n' for n in range(40)),
        "total = 0\n" * 5 + "".join(f"x{n} = open('a').read()\n" for n in range(10)),
        "rows = [\n"
        + "".join(f'    {{"id": {n}, "name": "P{n}", "age": {20 + n}}},\n' for n in range(20))
        + "]\n",
        "".join(f"    if not re.search('{p}', p):\n        return False\n" for p in "abcdefghi"),
        "".join(f'cur.execute("INSERT INTO t VALUES ({n})")\nconn.commit()\n' for n in range(9)),
        "".join(f'<div class="card">\n  <h2>Card {n}</h2>\n</div>\n' for n in range(9)),
        "".join(f"assert solve({n}) == {n * n}\n" for n in range(20)),
        "board = [\n" + "    [None, None, None, None, None, None, None, None],\n" * 8 + "]\n",
        "board = [\n" + f"    [{'None, ' * 16}],\n" * 16 + "]\n",
        "seen = [\n" + "    [False, False, False, False],\n" * 30 + "]\n",
        "<table>\n" + f"  <tr>{'<td></td>' * 7}</tr>\n" * 9 + "</table>\n",
        '<div class="card">\n  <img src="one.jpg">\n  <h2>Title</h2>\n</div>\n' * 20,
        "pyautogui.press('tab')\n" * 30,
        "".join(f"        self.assertEqual(roman({n}), '{n * 'i'}')\n" for n in range(1, 60)),
        "".join(f"INSERT INTO people VALUES ({n}, 'P{n}', {20 + n});\n" for n in range(100)),
    ],
)
def test_a_list_is_no_circle(source):
    events = [*pieces(source), ActionProposed(Code("python", source)), ReplyFinished("actions")]
    assert list(without_circles(iter(events))) == events


def test_who_waited_long_for_the_first_program_waits_for_one_more_and_no_longer():
    effort = Effort()
    effort.of_turn("one")
    effort.add(10 * MORE_SECONDS)
    assert not effort.is_spent
    effort.add(1.0)
    assert effort.is_spent


def test_a_step_for_which_nobody_was_asked_is_no_reply():
    effort = Effort()
    effort.of_turn("one")
    effort.add(0.01)
    effort.add(70.0)
    effort.add(0.0)
    assert not effort.is_spent
    effort.add(70.0)
    assert effort.is_spent


def test_after_a_slow_program_and_a_mend_of_ours_one_more_is_written():
    _, model = outcome_of(QUESTION, (), seconds=70.0, error="NameError: name 'np' is not defined")
    assert model.written == 2


def test_what_is_asked_again_begins_anew():
    effort = Effort()
    effort.of_turn("one", is_new=True)
    for _ in range(3):
        effort.add(LEAST_SECONDS * TIMES)
    assert effort.is_spent
    effort.of_turn("one")
    assert effort.is_spent
    effort.of_turn("one", is_new=True)
    assert not effort.is_spent


def test_what_was_printed_before_is_given_where_the_last_block_printed_nothing():
    ran = [
        Round("", "print(f('t.csv'))", False, "42\n", "", ""),
        Round("", "x = 1", False, "", "", ""),
    ]
    said = last_word(ran, "What is the mean of x in t.csv?", NOT_ANSWERED)
    assert said == f"42{UNCONFIRMED}"


def test_who_is_told_of_a_reply_that_went_in_circles_is_not_told_how_to_write_one():
    said, _ = outcome_of(QUESTION, (), error=CIRCLES)
    assert said.endswith("The reply went round in circles and was cut off, so nothing ran.")


def test_replies_that_go_in_circles_end_with_an_answer_before_the_session_ends_the_turn():
    circle = (
        Message("assistant", (MalformedCall("", CIRCLES),)),
        Message("computer", (ActionResult("", "invalid", CIRCLES),)),
    )
    failed = (
        Message("assistant", (Code("python", "f()", "c"),)),
        Message("computer", (ActionResult("c", "failed", "NameError: name 'f' is not defined"),)),
    )
    asked = [SmallTurn.of((QUESTION, *circle)), SmallTurn.of((QUESTION, *circle, *failed, *circle))]
    assert [one.next_request().answer[:22] for one in asked] == ["", "I could not do this: 3"]


def test_late_a_condition_that_an_order_left_out_is_told():
    question = "Save the people older than 30 of people.csv as old.csv."
    done = Output("[files: added old.csv]\n", "stderr")
    source = "pd.read_csv('people.csv').to_csv('old.csv')"
    ran = (
        Message("assistant", (Code("python", source, "c"),)),
        Message("computer", (done, ActionResult("c", "ok", ""))),
    )
    plan = SmallTurn.of((user_says(question), *ran)).next_request(is_late=True)
    assert plan.answer.startswith("Done: added old.csv.")
    assert "(Not sure: the request says '30', and the program does not use that.)" in plan.answer


def test_a_doubt_about_the_best_there_is_stands_beside_an_answer_that_a_program_reads():
    question = "How many rows of t.csv have x above 57? Answer as JSON with the key count."
    ran = (
        Message("assistant", (Code("python", "print(rows_of('t.csv'))", "c"),)),
        Message("computer", (Output('{"count": 3}\n'), ActionResult("c", "ok", ""))),
    )
    plan = SmallTurn.of((user_says(question), *ran)).next_request(is_late=True)
    assert plan.answer == '{"count": 3}'
    assert "'57'" in plan.doubt
