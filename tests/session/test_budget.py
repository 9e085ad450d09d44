"""What a session costs."""

from interpreter.protocol.events import Usage
from interpreter.session.budget import Budget, Ceiling


def pricing(usage):
    return (usage.input - usage.cached) * 0.001 + usage.cached * 0.0001 + usage.output * 0.01


def paid(**counts):
    usage = Usage(**counts)
    return Usage(**counts, dollars=pricing(usage))


def test_turn_and_session_are_counted_apart():
    budget = Budget()
    budget.add(paid(input=100, output=10))
    budget.begin_turn()
    budget.add(paid(input=200, cached=150, output=20, reasoning=5))
    budget.add(None)
    assert (budget.turn.requests, budget.turn.input, budget.turn.cached) == (1, 200, 150)
    assert (budget.session.requests, budget.session.output) == (2, 30)
    assert round(budget.session.dollars, 6) == 0.2 + 0.265
    assert budget.session.describe() == "300 tokens in (150 cached), 30 out (5 thinking); $0.4650"


def test_the_request_that_would_exceed_the_budget_is_not_sent():
    budget = Budget(1.0, pricing)
    assert budget.objection(900) is None
    assert "over the budget of $1." in budget.objection(1_100)
    budget.add(paid(input=500, output=10))
    assert budget.objection(300) is None
    assert budget.objection(500) is not None


def test_what_the_cache_has_is_expected_to_be_cheap():
    budget = Budget(1.0, pricing)
    budget.add(paid(input=800, cached=600))
    assert budget.objection(900) is None


def test_no_limit_and_no_price_stop_nothing():
    assert Budget(None, pricing).objection(10**9) is None
    unknown = Budget(1.0)
    unknown.add(Usage(input=5))
    assert unknown.objection(10**9) is None
    assert "price unknown" in unknown.session.describe()


def test_what_costs_nothing_is_called_free():
    budget = Budget()
    budget.add(Usage(input=5, output=1, dollars=0.0))
    assert budget.session.describe() == "5 tokens in (0 cached), 1 out; free"


def test_tokens_are_limited_and_what_was_spent_is_told():
    budget = Budget()
    budget.limit(Ceiling(tokens=1000), lambda usage: None)
    assert budget.objection(900) is None
    budget.add(Usage(input=800, output=100))
    assert "may use 1,000 tokens" in budget.objection(200)
    assert "800 tokens in" in budget.objection(200)


def test_time_is_limited_for_a_turn_and_for_the_session():
    now = [0.0]
    budget = Budget(clock=lambda: now[0])
    budget.limit(Ceiling(turn_seconds=10, session_seconds=25), lambda usage: None)
    budget.begin_turn()
    now[0] = 11
    assert "The turn may take 10 seconds" in budget.objection(1)
    budget.begin_turn()
    assert budget.objection(1) is None
    now[0] = 20
    budget.begin_turn()
    now[0] = 26
    assert "The session may take 25 seconds" in budget.objection(1)
