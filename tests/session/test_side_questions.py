"""Questions beside the conversation: paid by the session, and about texts of any length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.errors import CallFailed, ConfigurationError, OutOfBudget
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Capabilities
from interpreter.session.budget import Budget, Ceiling
from interpreter.session.side_questions import SideQuestions, read_through


def test_a_short_text_is_one_question():
    asked = []
    answer = read_through(lambda text: asked.append(text) or "yes", "some text", "Is it short?")
    assert answer == "yes"
    assert asked == ["Is it short?\n\n<text>\nsome text\n</text>"]


def test_a_long_text_is_read_in_pieces_and_then_the_answers_are():
    asked = []

    def ask(text):
        asked.append(text)
        return f"answer {len(asked)}"

    assert read_through(ask, "word " * 1000, "What?", "Join.", room=2_000) == "answer 4"
    assert [text.partition("\n")[0] for text in asked] == ["What?", "What?", "What?", "Join."]
    assert "answer 1\n\nanswer 2\n\nanswer 3" in asked[-1]
    assert sum(text.count("word") for text in asked) == 1000


@given(
    st.integers(1, 30_000),
    st.sampled_from(["x", "word ", "ein satz. ", "\n", "🙂 "]),
    st.integers(0, 20_000),
)
def test_it_ends_however_much_the_model_says(length, piece, said):
    asked = []

    def ask(text):
        asked.append(text)
        return "y" * said

    read_through(ask, (piece * length)[:200_000], "What?", room=2_000)
    first = -(-len((piece * length)[:200_000]) // 1_500) + 1
    assert len(asked) <= 2 * first + 8


def test_a_text_that_is_far_too_long_is_refused_before_anything_is_asked():
    with pytest.raises(ConfigurationError, match="can be read at once"):
        read_through(lambda text: pytest.fail("asked"), "x" * 10_000_000, "What?", room=2_000)


@pytest.fixture
def questions():
    budget = Budget()

    def make(*replies, ceiling=None):
        model = ScriptedModel(replies)
        model.capabilities = Capabilities(context_window=8_000)
        if ceiling:
            budget.limit(ceiling, lambda usage: 0.0)
        return SideQuestions(lambda: model, budget), budget

    return make


def test_the_session_pays_for_what_code_asks(questions):
    side, budget = questions("Hello.")
    assert side.chat("Hi", None, Interrupt()) == "Hello."
    assert budget.session.requests == 1


def test_a_question_over_the_budget_is_not_asked(questions):
    side, budget = questions("Hello.", ceiling=Ceiling(requests=0))
    with pytest.raises(OutOfBudget, match="max_session_steps"):
        side.chat("Hi", None, Interrupt())
    assert budget.session.requests == 0


def test_the_budget_ends_the_reading_of_a_long_text(questions):
    side, budget = questions(*["part"] * 50, ceiling=Ceiling(requests=2))
    with pytest.raises(OutOfBudget):
        side.query("word " * 20_000, "What?", "", Interrupt())
    assert budget.session.requests == 2


def test_a_question_that_was_taken_back_is_not_asked(questions):
    side, budget = questions("Hello.")
    interrupt = Interrupt()
    interrupt.request()
    with pytest.raises(CallFailed, match="taken back"):
        side.chat("Hi", None, interrupt)
    assert budget.session.requests == 0
