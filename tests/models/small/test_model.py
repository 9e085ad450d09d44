from dataclasses import dataclass, field

import pytest

from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.failures import BUSY
from interpreter.models.small.faithful import faithful
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import next_request
from interpreter.models.small.prompts.hints import hint_for
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.wanted import is_an_order, needs_code
from interpreter.protocol.actions import FAILED_BEFORE
from interpreter.protocol.events import (
    STILL_RUNS,
    ActionProposed,
    CodeDelta,
    ReplyFinished,
    TextDelta,
)
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Text,
    user_says,
)
from interpreter.protocol.ports import Capabilities, Request, ToolSpec
from support.profiles import with_profile

QUESTION = with_profile("What is the mean of x in t.csv?")
TRACEBACK = """\
---------------------------------------------------------------------------
KeyError                                  Traceback (most recent call last)
Cell In[1], line 2
      1 df = load()
----> 2 print(df['y'])
KeyError: 'y'
"""


def wrote(source="print(f(t))"):
    return Message("assistant", (Code("python", source, "c1"),))


def printed(text, outcome="ok", summary="", errors=""):
    parts = [Output(text)] if text else []
    parts += [Output(errors, "stderr")] if errors else []
    return Message("computer", (*parts, ActionResult("c1", outcome, summary)))


def failed(summary="KeyError: 'y'", errors=TRACEBACK):
    return printed("", "failed", summary, errors)


def asked(*messages):
    return [message.text for message in next_request((QUESTION, *messages)).messages]


def test_a_picture_is_told_of_in_words():
    picture = Display((Face("image/png", b"png"), Face("text/plain", "<Figure size 10x6>")))
    ended = ActionResult("c1", "ok", "")
    alone = Message("computer", (picture, ended))
    beside = Message("computer", (Output("saved\n"), picture, ended))
    assert "The code printed:\nA picture was shown." in asked(wrote(), alone)[-1]
    assert "The code printed:\nsaved\n" in asked(wrote(), beside)[-1]
    assert "Figure" not in asked(wrote(), beside)[-1]


def test_a_question_about_data_asks_for_code():
    plan = next_request((QUESTION,))
    assert plan.must_act
    assert plan.messages[0].text.endswith("prints the answer as asked for above.")


def test_what_is_told_about_files_stands_after_the_question():
    profile = Message("user", (Text("t.csv: 3 rows"),), audience="assistant")
    (only,) = next_request((profile, QUESTION)).messages
    assert only.text.startswith("What is the mean of x in t.csv?\n\nt.csv: 3 rows\n\nWrite one")


def test_small_talk_stays_small_talk():
    hello = (with_profile("Hello, who are you?"),)
    assert next_request(hello).messages == hello


def test_a_guess_after_an_error_is_answered_with_a_nudge():
    broken = (wrote("x"), failed())
    model, events = replies("It is 5.", {"code": "print(5)"}, messages=(QUESTION, *broken))
    assert model.requests[1].messages[-1].text.startswith("Do not guess.")
    assert sum(isinstance(event, ActionProposed) for event in events) == 1


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("Thing", "import maker\nThing(1)", "If it belongs to maker, begin the block with"),
        ("make_it", "make_it(1)", "make_it is neither imported nor defined"),
        ("Reader", "Reader('a')", "Begin the block with: from somewhere import Reader"),
        ("json", "json.dumps(1)", "Begin the block with: import json"),
        ("pd", "pd.read_csv('a')", "Begin the block with: import pandas as pd"),
        ("df", "print(df)", "Variables of a failed block may be missing"),
        ("total", "total = f()\nprint(total)", "Variables of a failed block may be missing"),
    ],
)
def test_a_name_that_was_never_imported_comes_with_its_import(name, source, told):
    question = "Sum a.pdf\n\na.pdf: 2 pages, from somewhere import Reader; Reader(path) reads it"
    assert told in hint_for(f"NameError: name '{name}' is not defined", question, source)


def test_an_error_comes_back_as_the_line_the_error_and_a_hint():
    (_, code, hint) = asked(wrote("df = load()\nprint(df['y'])"), failed())
    assert code == "```python\ndf = load()\nprint(df['y'])\n```"
    assert hint == (
        "The code failed: KeyError: 'y'\n"
        "The failing line is: print(df['y'])\n"
        "Use only column names that exist, written exactly as they are.\n"
        "Write the whole block again with only that corrected; it must print the answer."
    )


def test_an_error_comes_with_the_variables_where_they_are_known():
    looked = failed("KeyError: 'y'\nvariables: df: DataFrame 3x1 with columns x", "")
    hint = asked(wrote(), looked)[-1]
    assert hint.startswith("The code failed: KeyError: 'y'\n")
    assert "\nVariables now: df: DataFrame 3x1 with columns x\n" in hint


def test_only_the_last_failure_is_shown():
    texts = asked(wrote("a"), failed("KeyError: 'a'", ""), wrote("b"), failed("ValueError: b", ""))
    assert len(texts) == 3
    assert "ValueError: b" in texts[-1]


def test_the_same_error_twice_starts_afresh_with_what_was_learnt():
    plan = next_request((QUESTION, wrote("a"), failed(), wrote("b"), failed()))
    (only,) = plan.messages
    assert "Earlier attempts failed with:\n- KeyError: 'y' Use only column names" in only.text
    assert plan.variation == 2


def test_a_block_that_was_not_run_since_it_had_failed_is_begun_again_and_given_up_in_the_end():
    once = (wrote("f(x)"), printed("", "failed", "ValueError: no"))
    again = (wrote("f(x)"), printed("", "declined", FAILED_BEFORE))
    plan = next_request((QUESTION, *once, *again))
    assert "Earlier attempts failed with:\n- ValueError: no" in plan.messages[-1].text
    assert plan.must_act
    last = next_request((QUESTION, *once, *again * 3))
    assert last.answer == "I could not do this: it fails each time with ValueError: no."


def test_python_that_still_runs_a_block_is_said_and_not_tried_again():
    refused = printed("", "invalid", f"python {STILL_RUNS}")
    planned = next_request((QUESTION, wrote(), refused))
    assert planned.answer == BUSY


def test_every_further_failure_varies_the_sampling():
    turn = [QUESTION]
    seen = []
    for number in range(4):
        turn += [wrote(str(number)), failed(f"Error {number}", "")]
        seen.append(next_request(turn).variation)
    assert seen == [1, 2, 3, 4]


def test_a_block_that_prints_nothing_is_asked_to_print():
    assert asked(wrote(), printed(""))[-1].startswith("The code ran but printed nothing.")


RENAME = with_profile("Rename all .txt files here to .md")
RENAMED = "[files: renamed a.txt → a.md]\n"


def test_an_order_is_judged_by_the_files_it_leaves():
    plan = next_request((RENAME, wrote("rename()"), printed("", errors=RENAMED)))
    told = plan.messages[-1].text
    assert told.startswith("The code ran without an error. Files: renamed a.md.\nIf that did all")
    assert not plan.is_unfinished("All files are renamed.")


def test_an_order_that_changed_no_file_is_not_done_whatever_it_printed():
    once = next_request((RENAME, wrote("print('Renamed.')"), printed("Renamed.\n")))
    assert "changed no file, so what was asked for is not done" in once.messages[-1].text
    assert once.must_act
    blocks = (wrote("print('Renamed.')"), printed("Renamed.\n")) * 3
    last = next_request((RENAME, *blocks))
    assert last.answer == "I could not do this: no file was changed.\n\nRenamed."


def test_where_nothing_had_to_be_changed_that_is_said():
    write = "df.drop_duplicates().to_csv('s.csv')"
    asked = user_says("Remove the duplicate rows from s.csv and save it.")
    tries = [part for mark in ("", "#", "##") for part in (wrote(write + mark), printed(""))]
    answer = next_request((asked, *tries)).answer
    assert answer.startswith("No file was changed: the program ran, and what it wrote is what was")


def test_a_script_that_is_to_be_saved_is_written_and_not_run():
    order = with_profile("Save a script that deletes old logs as clean.py")
    assert "does not run it" in next_request((order,)).messages[-1].text


@pytest.mark.parametrize(
    ("request_", "order"),
    [
        ("Rename all .txt files here", True),
        ("Add a column b to t.csv", True),
        ("Add a column b to t.csv and tell me how many rows have more than 5", False),
        ("Create the sum of a and b in t.csv. Answer with one JSON object.", False),
        ("What is the mean of x in t.csv? Save it to mean.txt", True),
        ("What is the mean of x in t.csv?", False),
        ("write " * 3_000, True),
    ],
)
def test_an_order_that_asks_for_an_answer_is_a_question(request_, order):
    assert is_an_order(request_) is order


def test_an_order_may_be_done_without_a_word():
    order = with_profile("Plot x of t.csv")
    plan = next_request((order, wrote("plot()"), printed("")))
    assert "say in one sentence what was done" in plan.messages[-1].text


def test_output_is_shown_and_must_be_carried():
    plan = next_request((QUESTION, wrote(), printed("mean 3.5\n")))
    assert plan.messages[-1].text.startswith("The code printed:\nmean 3.5\n")
    assert plan.output == "mean 3.5"


def test_the_form_that_was_asked_for_is_said_again_with_the_output():
    formed = with_profile(
        "Which is the largest in t.csv?\nGive the answer in this format: name = x\n"
    )
    told = next_request((formed, wrote(), printed("Ann"))).messages[-1].text
    assert "with these values. Give the answer in this format: name = x\n" in told


def test_long_output_is_cut_in_the_middle():
    plan = next_request((QUESTION, wrote(), printed("a" * 5000 + "the end")))
    assert len(plan.output) < 1600
    assert plan.output.endswith("the end")


def test_an_unreadable_call_counts_as_a_failure():
    broken = Message("assistant", (MalformedCall("```python\nwhile T", "It was cut off.", "c1"),))
    hint = asked(broken, printed("", "invalid", "It was cut off."))[-1]
    assert hint.startswith("The code failed: It was cut off.")


def test_what_was_said_in_earlier_turns_is_kept_as_it_was():
    before = (with_profile("Hi"), Message("assistant", ()), QUESTION, wrote(), printed("7"))
    later = next_request((*before, with_profile("And of z?")))
    assert later.messages[:5] == before


@pytest.mark.parametrize(
    ("answer", "output", "shown"),
    [
        ("The mean is 2.5.", "2.5\n", "The mean is 2.5."),
        ("The mean is 2.5.", "2.4983\n", "The mean is 2.5."),
        ("It is 12 %.", "0.12\n", "It is 12 %.\n\n0.12"),
        ("There are 1,234.", "1234\n", "There are 1,234."),
        ("Of the 100 rows 7 are good.", "7\n", "Of the 100 rows 7 are good."),
        ("The output answers it.", "871\n", "The output answers it.\n\n871"),
        (
            "The mean is 2.5.",
            "mean 2.5\ncount 8\n",
            "The mean is 2.5.\n\n```text\nmean 2.5\ncount 8\n```",
        ),
        ("The table is above.", "a 1\n" * 30, "The table is above."),
        ("The 100th prime is 101.", "29\n", "29"),
        ("", "29\n", "29"),
        ("North is best.", "north\n", "North is best."),
        ("Done.", "", "Done."),
    ],
)
def test_an_answer_carries_what_was_printed_and_invents_nothing(answer, output, shown):
    assert faithful(answer, output, "Which of the 100 rows?") == shown


HARD_CODED = "total = 1234.5\nprint(f'Total: {total}')"


def test_a_number_that_stands_in_the_program_is_not_taken_for_computed():
    once = next_request((QUESTION, wrote(HARD_CODED), printed("Total: 1234.5\n")))
    assert "that computes nothing" in once.messages[-1].text
    twice = (QUESTION, *(wrote(HARD_CODED), printed("Total: 1234.5\n")) * 2)
    assert "written in the program itself" in next_request(twice).doubt


@pytest.mark.parametrize(
    ("question", "source", "output"),
    [
        ("How many rows has t.csv?", "print(len(open('t.csv').readlines()) - 1)", "199\n"),
        ("Show the 5 best", "print(df.head(5))", "5\n"),
        ("What is 6 * 7?", "print(6 * 7)", "42\n"),
        ("Which month?", "print('March')", "March\n"),
        ("What is the share?", "print(round(0.123, 2), df.x.mean())", "0.12 3.5\n"),
    ],
)
def test_a_number_that_was_computed_or_asked_about_is_one(question, source, output):
    plan = next_request((with_profile(question), wrote(source), printed(output)))
    assert "written in the program" not in plan.doubt


@dataclass
class Recorder:
    """A model that says what it is told to and keeps what it was asked."""

    script: list
    name = "recorder"
    capabilities = Capabilities()
    requests: list = field(default_factory=list)
    closed: bool = False

    def stream(self, request, interrupt):
        self.requests.append(request)
        yield from ScriptedModel([self.script.pop(0)], piece=100).stream(request, interrupt)

    def close(self):
        self.closed = True


def replies(*script, messages=(QUESTION,), varied=None):
    model = Recorder(list(script))
    small = SmallModel(model, varied or (lambda number: model))
    events = list(small.stream(Request("Be brief.", messages), Interrupt()))
    return model, events


def said(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_a_guess_is_answered_with_a_nudge():
    model, events = replies("It is 5.", {"code": "print(5)"})
    assert model.requests[1].messages[-1].text.startswith("Do not guess.")
    assert sum(isinstance(event, ActionProposed) for event in events) == 1
    assert isinstance(events[-1], ReplyFinished)
    assert sum(isinstance(event, ReplyFinished) for event in events) == 1


def test_a_promise_is_answered_with_a_nudge():
    talk = (with_profile("Tidy up the folder"),)
    model, _ = replies("I will list the files first.", {"code": "ls"}, messages=talk)
    assert len(model.requests) == 2


def test_an_answer_is_left_alone():
    model, events = replies("I am a program.", messages=(with_profile("Who are you?"),))
    assert len(model.requests) == 1
    assert said(events) == "I am a program."


def test_a_lost_value_is_added_to_the_answer():
    turn = (QUESTION, wrote(), printed("mean 3.5"))
    _, events = replies("The output answers the question.", messages=turn)
    assert said(events) == "The output answers the question.\n\nmean 3.5"


def test_another_block_after_an_output_is_no_answer_yet():
    turn = (QUESTION, wrote(), printed("x y z"))
    _, events = replies({"code": "print(2)"}, messages=turn)
    assert said(events) == ""


def test_a_model_that_finds_fault_with_its_output_puts_it_right():
    turn = (QUESTION, wrote(), printed("mean 0"))
    fault = "The code did not print the correct answer: the filter is wrong."
    model, events = replies(fault, {"code": "print(2)"}, messages=turn)
    assert model.requests[1].messages[-1].text.startswith("Then write the whole ```python block")
    assert said(events) == ""
    assert sum(isinstance(event, ActionProposed) for event in events) == 1
    thrice = (QUESTION, *(part for n in range(3) for part in (wrote(f"f({n})"), printed(f"{n}"))))
    model, events = replies(fault, messages=thrice)
    assert len(model.requests) == 1
    assert said(events)


@pytest.mark.parametrize(
    "reply",
    [
        "I apologize for misunderstanding the request.",
        "Please provide the correct value for '10'.",
        "The request is:\nHow many rows of the file sales.csv have more than 10 units?",
    ],
)
def test_what_is_no_answer_is_not_given_and_what_was_printed_is(reply):
    question = with_profile("How many rows of the file sales.csv have more than 10 units?")
    turn = (question, wrote("print('rows:', len(df))"), printed("rows: 8\n"))
    _, events = replies(reply, messages=turn)
    assert said(events) == (
        "rows: 8\n\n(Not sure: the request says '10', and the program does not use that.)"
    )


def test_a_second_failure_is_asked_of_another_mood():
    moods = []

    def varied(number):
        moods.append(number)
        return Recorder([{"code": "print(3)"}])

    turn = (QUESTION, wrote("a"), failed("A", ""), wrote("b"), failed("B", ""))
    model, _ = replies(messages=turn, varied=varied)
    assert (moods, model.requests) == ([2], [])


def test_the_worked_example_comes_before_the_users_own_words():
    model, _ = replies({"code": "f()"})
    assert model.requests[0].system.endswith("Be brief.")
    assert "club.csv" in model.requests[0].system


def test_a_form_in_words_is_an_answer_only_when_every_line_has_it():
    asks = with_profile("How many are there in t.csv? Answer as total: number")
    given = [next_request((asks, wrote(), printed(text))).answer for text in ("total: 7", "x\n7")]
    assert given == ["total: 7", ""]


PARTS = with_profile("Mean and count of t.csv? Answer as JSON.")


@pytest.mark.parametrize(
    ("output", "errors", "told"),
    [
        ("2.5 and 7", "", "The output is no dictionary."),
        ('{"mean": NaN, "count": 7}', "", "a value is missing (nan or empty)"),
        ('{"mean": 2.5}', "x.py:3: ChainedAssignmentError: copy", "A line changed nothing"),
    ],
)
def test_an_answer_that_cannot_be_right_is_asked_for_again(output, errors, told):
    plan = next_request((PARTS, wrote(), printed(output, errors=errors)))
    assert (plan.answer, plan.variation) == ("", 1)
    assert told in plan.messages[-1].text


def test_a_block_whose_value_is_missing_is_not_shown_again():
    plan = next_request((PARTS, wrote(), printed('{"mean": NaN, "count": 7}')))
    assert [message.role for message in plan.messages] == ["user"]
    assert 'An earlier attempt printed {"mean": NaN' in plan.messages[0].text
    assert plan.must_act


def test_a_small_model_is_reminded_of_what_the_question_says():
    asks = with_profile("What is the population standard deviation of x in t.csv?")
    other = with_profile("What is the mean of x in t.csv?")
    said = [next_request((one,)).messages[-1].text for one in (asks, other)]
    assert ["ddof=0" in text for text in said] == [True, False]


@pytest.mark.parametrize(
    ("question", "column", "told"),
    [
        ("How many kilometres were run?", "distance_m", "'distance_m' is in m: 1 km is 1000 m."),
        ("What is the weight in grams?", "Weight (kg)", "'Weight (kg)' is in kg: 1 kg is 1000 g."),
        ("How many hours did it take?", "minutes", "'minutes' is in min: 1 h is 60 min."),
        ("How many minutes did it take?", "minutes", ""),
        ("How many grams of it?", "distance_m", ""),
        ("What is the mean of m?", "m", ""),
    ],
)
def test_a_column_in_another_unit_is_told_of(question, column, told):
    profile = f"t.csv: 3 rows x 1 columns\n- {column!r} int 1 to 9"
    assert "".join(reminders_for(f"{question}\n\n{profile}")) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who paid more than the average fare?", "compute it first"),
        ("What is the average fare?", ""),
        ("Who has been there the longest?", "since the earliest date"),
        ("Who has the best mark? 1 is the best.", "idxmin"),
        ("Who has the best mark? 10 is the best.", ""),
        ("Remove outliers by the Z-score method", "z.abs()"),
        ("Which rows are outliers by the IQR?", "q3 + 1.5"),
    ],
)
def test_what_a_question_says_and_small_models_forget_is_told_again(question, told):
    assert told in "".join(reminders_for(question))
    assert bool(told) is bool(reminders_for(question))


def test_the_same_again_is_taken_as_it_is():
    doubted = (wrote(), printed('{"mean": NaN, "count": 7}'))
    assert next_request((PARTS, *doubted, *doubted)).answer == '{"mean": null, "count": 7}'


def test_an_answer_from_before_is_taken_when_nothing_better_comes():
    doubted = (wrote(), printed('{"mean": NaN, "count": 7}'))
    fails = (wrote(), failed())
    assert next_request((PARTS, *doubted, *fails)).answer == ""
    assert next_request((PARTS, *doubted, *fails, *fails)).answer == '{"mean": null, "count": 7}'


def test_what_is_wanted_stands_behind_what_is_known_of_its_files():
    first, then = with_profile("What is their mean in t.csv?\n\nt.csv: 3 rows"), user_says("And?")
    asked = plain_requests((first, Message("assistant", (Text("3."),)), then), first)
    assert asked[0].messages[0].text == "t.csv: 3 rows\n\nWhat is their mean in t.csv?"
    assert (
        asked[1]
        .messages[0]
        .text.startswith(
            "t.csv: 3 rows\n\nWhat is their mean in t.csv?\n\nWrite one ```python block"
        )
    )


def plain_requests(*conversations):
    """What a model is asked in each of these conversations."""
    model, asked = ScriptedModel(["It is 3."] * 9), []

    class Listener:
        name, capabilities = model.name, model.capabilities

        def stream(self, request, interrupt):
            asked.append(request)
            yield from model.stream(request, interrupt)

    for conversation in conversations:
        messages = conversation if isinstance(conversation, tuple) else (conversation,)
        before = len(asked)
        small = SmallModel(Listener(), lambda number: Listener())
        list(small.stream(Request("", messages), Interrupt()))
        del asked[before + 1 :]
    return asked


def test_a_reply_that_must_be_a_block_is_framed_as_one():
    model, _ = replies("It is 5.", {"code": "print(5)"})
    assert [request.frame for request in model.requests] == ["block", "block"]
    model, _ = replies("Hello.", messages=(with_profile("Hello"),))
    assert [request.frame for request in model.requests] == [""]


def test_an_answer_in_json_is_framed_and_is_nothing_but_json():
    turn = (PARTS, *(wrote(), printed("2.5 and 7")) * 2)
    model, events = replies('{"mean": 2.5, "count": 7}', messages=turn)
    assert model.requests[0].frame == '{"type": "object"}'
    assert said(events) == '{"mean": 2.5, "count": 7}'
    _, events = replies('{"mean": 9.5}', messages=turn)
    assert said(events) == "2.5 and 7"


def test_a_small_model_has_one_tool():
    tools = (ToolSpec("execute", "Run.", "{}"), ToolSpec("jobs", "Look after jobs.", "{}"))
    model = Recorder([{"code": "f()"}])
    small = SmallModel(model, lambda number: model)
    list(small.stream(Request("", (QUESTION,), tools), Interrupt()))
    assert [tool.name for tool in model.requests[0].tools] == ["execute"]


@pytest.mark.parametrize(
    ("question", "acts"),
    [
        ("How many words are in README.md?", True),
        ("Which files here are the largest?", True),
        ("What is 17*23?", True),
        ("What is the capital of France?", False),
        ("Hello!", False),
    ],
)
def test_what_only_the_machine_knows_is_not_guessed(question, acts):
    assert needs_code(question) is acts


def test_a_block_of_comments_beside_the_answer_does_not_run():
    script = {"text": "It is 5.", "code": "# add code here"}
    _, events = replies(script, messages=(QUESTION, wrote(), printed("5\n")))
    assert not any(isinstance(event, ActionProposed) for event in events)
    assert said(events) == "It is 5."


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"code": '{"missing_values_count": 24}'}, '{"missing_values_count": 24}'),
        ({"code": "24", "language": "text"}, "24"),
        ({"code": "a,b\nx,24", "language": "csv"}, "a,b\nx,24"),
        ({"code": "missing values: 24"}, "missing values: 24"),
        ({"code": 'print("missing values: 24")'}, "missing values: 24"),
    ],
    ids=["a literal", "text", "csv", "the printed line", "printing it again"],
)
def test_a_block_that_is_data_ends_the_turn_and_is_not_run(reply, answer):
    turn = (QUESTION, wrote(), printed("missing values: 24\n"))
    model, events = replies(reply, messages=turn)
    assert not any(isinstance(event, ActionProposed | CodeDelta) for event in events)
    assert said(events) == answer
    assert len(model.requests) == 1


def test_a_value_before_anything_ran_is_a_guess():
    model, events = replies({"code": '{"mean": 5}'}, {"code": "print(compute())"})
    assert model.requests[1].messages[-1].text.startswith("Do not guess.")
    assert [e.action.source for e in events if isinstance(e, ActionProposed)] == [
        "print(compute())"
    ]


def test_code_is_passed_on_as_it_is_written():
    _, events = replies({"code": "import os\nprint(os.getcwd())"})
    code = "".join(event.text for event in events if isinstance(event, CodeDelta))
    assert code == "import os\nprint(os.getcwd())"


def test_numbers_of_numpy_are_answered_as_numbers():
    plan = next_request((PARTS, wrote(), printed("{'mean': np.float64(0.02)}")))
    assert plan.answer == '{"mean": 0.02}'
    turn = (QUESTION, wrote(), printed("np.float64(0.02)"))
    _, events = replies("The mean is np.float64(0.02).", messages=turn)
    assert said(events) == "The mean is 0.02."


PROFILED = "in t.csv?\n\nt.csv: 3 rows\n- 'units sold' int64\n- 'city' text"


@pytest.mark.parametrize(
    ("question", "error", "times", "answer"),
    [
        ("Mean profit " + PROFILED, "KeyError: 'profit'", 1,
         "There is no column 'profit'. There is: 'units sold', 'city'."),
        ("Mean of units " + PROFILED, "KeyError: 'units'", 1, ""),
        ("Mean of units " + PROFILED, "KeyError: 'units'", 2,
         "There is no column 'units'. There is: 'units sold', 'city'."),
        ("How many rows has gone.csv?",
         "FileNotFoundError: [Errno 2] No such file or directory: 'gone.csv'", 1,
         "There is no file 'gone.csv'."),
        ("How many rows has slaes.csv?", "FileNotFoundError: [Errno 2] No such file or directory: "
         "'slaes.csv' (there is: 'sales.csv')", 1,
         "There is no file 'slaes.csv'. There is: 'sales.csv'."),
        ("Mean of Profit " + PROFILED, "AttributeError: 'DataFrame' object has no attribute "
         "'profit'", 1, "There is no column 'profit'. There is: 'units sold', 'city'."),
        ("What is the total of units " + PROFILED, "AttributeError: 'DataFrame' object has no "
         "attribute 'total'", 1, ""),
        ("In which month do we sell most " + PROFILED, "AttributeError: 'Series' object has no "
         "attribute 'month'", 1, ""),
        ("What strings are in city " + PROFILED, "AttributeError: 'DataFrame' object has no "
         "attribute 'str'", 1, ""),
        ("Units of Bonn " + PROFILED + "\nNamed in the request: column 'city' has 'Bonn' (2 rows)",
         "KeyError: 'Bonn'", 1, ""),
        ("Sum of bil in b.db?", "sqlite3.OperationalError: no such column: bil", 1,
         "There is no column 'bil'."),
        ("How many rows has t.csv?", "ModuleNotFoundError: No module named 'polars'", 1, ""),
        ("How many rows has t.csv?", "ModuleNotFoundError: No module named 'polars'", 2,
         "The package 'polars' is not installed."),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_and_not_tried_a_third_time(question, error, times, answer):
    turn = [with_profile(question)]
    for number in range(times):
        turn += [wrote(f"attempt({number})"), failed(error, "")]
    assert next_request(turn).answer == answer


@pytest.mark.parametrize(
    "error",
    [
        "ValueError: could not convert string to float: '$1,200.00'",
        "ValueError: Unknown format code 'f' for object of type 'str'",
    ],
)
def test_money_as_text_is_turned_into_numbers_with_its_thousands(error):
    hint = hint_for(error)
    assert '.str.replace(",", "").str.extract(' in hint


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("print(f'{pd.Series([1, 2]):.2f}')", "(a * b).sum()"),
        ("float(pd.Series([1, 2]))", "many values, not one"),
        ("print(f'{pd.DataFrame([1, 2]):.2f}')", "many values, not one"),
        ("pd.Series([1, 2]) > 1 and pd.Series([1, 2]) > 0", "in parentheses"),
    ],
)
def test_many_values_where_one_is_wanted_come_with_how_to_make_one(source, told):
    """By what the installed pandas says."""
    with pytest.raises((TypeError, ValueError)) as raised:
        exec(source, {"pd": pytest.importorskip("pandas")})
    assert told in hint_for(f"{raised.type.__name__}: {raised.value}")
