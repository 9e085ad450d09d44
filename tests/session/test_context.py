"""What of a conversation is sent."""

import random

import pytest

from interpreter.protocol.events import Usage
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Text,
    user_says,
)
from interpreter.protocol.ports import Capabilities, ToolSpec
from interpreter.session.request.context import Context, Notes

TOOLS = (ToolSpec("execute", "Run code.", "{}"),)
SYSTEM = "You run code."
PICTURE = Display((Face("text/plain", "<Figure>"), Face("image/png", b"png")))


def context(window, **notes):
    return Context(Capabilities(context_window=window, max_output=100), Notes(**notes))


def run(number, output="ok\n", *parts):
    call_id = f"c{number}"
    return (
        Message("assistant", (Text(f"Step {number}."), Code("python", f"step({number})", call_id))),
        Message("computer", (Output(output), *parts, ActionResult(call_id, "ok", f"did {number}"))),
    )


def conversation(steps, output="x" * 200):
    history = [user_says("Find the bug in parser.py; never touch tests/.")]
    for number in range(steps):
        history += run(number, f"{output}{number}\n")
    return history


def sent(ctx, history):
    return ctx.prepare(SYSTEM, TOOLS, history).messages


def assert_calls_have_their_results(messages):
    open_calls = set()
    for message in messages:
        if message.role == "assistant":
            assert not open_calls
            open_calls = {action.call_id for action in message.actions}
        for result in message.results:
            open_calls.remove(result.call_id)


def test_what_fits_is_sent_as_it_is():
    history = conversation(3)
    messages = sent(context(100_000), history)
    assert all(a is b for a, b in zip(messages, history, strict=True))


def test_requests_only_grow_between_compactions():
    ctx, history, before, changes = context(4_000), [user_says("go")], (), 0
    for number in range(200):
        history += run(number, "y" * 100)
        now = sent(ctx, history)
        changes += not all(a is b for a, b in zip(before, now, strict=False))
        before = now
    assert 0 < changes < 25


def test_old_outputs_and_pictures_shrink_first_and_recent_ones_stay():
    history = conversation(12, output="z" * 3_000)
    history[3:3] = run("p", "plot\n", PICTURE)
    ctx = context(10_000)
    messages = sent(ctx, history)
    assert ctx.compactions == 0
    assert len(messages) == len(history)
    assert "characters left out" in messages[2].parts[0].text
    assert messages[4].parts[1].image is None
    assert messages[-1] is history[-1]
    assert_calls_have_their_results(messages)


def test_compaction_keeps_the_goal_the_state_and_the_way_to_the_log():
    ctx = context(
        3_000,
        facts=lambda: "df: DataFrame 100×3",
        log=lambda messages: f"{len(messages)} messages in session 7",
    )
    history = conversation(80)
    history.insert(81, user_says("Also check lexer.py."))
    messages = sent(ctx, history)
    assert ctx.compactions == 1
    digest = messages[0].text
    for words in (
        "Find the bug in parser.py; never touch tests/.",
        "Also check lexer.py.",
        "df: DataFrame 100×3",
        "messages in session 7",
        "step(",
    ):
        assert words in digest
    assert messages[-1] is history[-1]
    assert ctx.tokens < 3_000
    assert_calls_have_their_results(messages[1:])


def test_compacting_again_loses_no_instruction():
    ctx, history = context(3_000), [user_says("The goal is G-17.")]
    for number in range(300):
        history += run(number, "x" * 300)
        if number == 150:
            history.append(user_says("Use tabs, T-99."))
        messages = sent(ctx, history)
        assert ctx.tokens <= 3_000
        assert_calls_have_their_results(messages)
    assert ctx.compactions > 2
    assert "G-17" in messages[0].text
    assert "T-99" in messages[0].text


def test_a_conversation_that_fits_is_shortened_when_the_user_wants_it():
    ctx, history = context(100_000), conversation(40)
    sent(ctx, history)
    before = ctx.tokens
    ctx.compact()
    messages = sent(ctx, history)
    assert ctx.tokens < 0.6 * before
    assert "never touch tests/" in messages[0].text
    assert messages[-1] is history[-1]
    assert_calls_have_their_results(messages[1:])


def test_a_short_conversation_is_not_made_longer():
    ctx, history = context(100_000), conversation(2, output="ok")
    sent(ctx, history)
    ctx.compact()
    assert sent(ctx, history) == tuple(history)


@pytest.mark.parametrize("size", [50_000, 5_000_000])
def test_one_oversized_message_does_not_end_a_session(size):
    ctx = context(4_000)
    history = [user_says("BEGIN " + "w" * size + " END")]
    messages = sent(ctx, history)
    assert ctx.tokens <= 4_000
    assert messages[0].text.startswith("BEGIN")
    assert messages[0].text.endswith("END")
    history += run(1, "v" * size)
    sent(ctx, history)
    assert ctx.tokens <= 4_000


def test_the_estimate_learns_from_the_provider():
    ctx = context(100_000)
    history = conversation(20)
    sent(ctx, history)
    ctx.learn(Usage(input=5_000))
    assert abs(ctx.tokens - 5_000) < 50


def test_what_was_sent_is_counted_by_the_provider_and_only_what_is_new_is_estimated():
    ctx, history = context(100_000), conversation(20)
    sent(ctx, history)
    ctx.learn(Usage(input=9_000))
    sent(ctx, history)
    ctx.learn(Usage(input=5_003))  # the rate goes down slowly, the count at once
    assert ctx.tokens == 5_003
    history.append(user_says("x" * 100))
    sent(ctx, history)
    assert 5_003 + 15 < ctx.tokens < 5_003 + 150
    ctx.compact()
    assert ctx.tokens < 5_003  # and of a conversation that is another one now, nothing is known


def test_a_count_that_cannot_be_of_this_request_is_not_believed():
    ctx, history = context(100_000), conversation(20)
    sent(ctx, history)
    before = ctx.tokens
    ctx.learn(Usage(input=10))
    assert before / 2 < ctx.tokens <= before


def test_a_request_that_was_too_long_after_all_is_made_shorter():
    ctx, history = context(8_000), conversation(60)
    sent(ctx, history)
    before = ctx.tokens
    assert ctx.overflowed()
    assert ctx.overflowed()
    sent(ctx, history)
    assert ctx.tokens < before


def test_a_changed_past_is_followed():
    ctx, history = context(100_000), conversation(5)
    sent(ctx, history)
    assert sent(ctx, history[:3]) == tuple(history[:3])


def test_any_conversation_fits_and_keeps_calls_with_results():
    for seed in range(30):
        rng = random.Random(seed)
        ctx, history = context(rng.choice([1_500, 4_000, 9_000])), [user_says("goal")]
        for number in range(60):
            extra = (PICTURE,) if rng.random() < 0.2 else ()
            history += run(number, "o" * int(rng.expovariate(1 / 600)), *extra)
            if rng.random() < 0.2:
                history.append(user_says("more " * rng.randrange(80)))
            messages = sent(ctx, history)
            assert ctx.tokens <= ctx._room, (seed, number)
            assert_calls_have_their_results(messages)


def computer(*parts):
    return Message("computer", (*parts, ActionResult("c", "ok")))


def printed_of(message):
    return "".join(part.text for part in message.parts if isinstance(part, Output))


def test_of_a_long_output_the_beginning_and_the_end_are_sent_with_how_much_lies_between():
    lines = [f"{number}\n" for number in range(10_000)]
    (seen,) = sent(context(1_000_000), [computer(Output("".join(lines)), PICTURE)])
    text = printed_of(seen)
    head, marker, tail = text.partition("\n[… ")
    told, _, tail = tail.partition(" …]\n")
    assert len(text) <= 8_000
    assert text.startswith("0\n1\n2\n")
    assert text.endswith("9998\n9999\n")
    left_out = len(lines) - head.count("\n") - tail.count("\n")
    characters = sum(map(len, lines)) - len(head) - len(tail)
    assert told == f"{left_out} lines with {characters} characters left out"
    assert seen.parts[-2:] == (PICTURE, ActionResult("c", "ok"))


def test_what_was_left_out_before_counts_too():
    gap = Output("", omitted=500_000, omitted_lines=90_000)
    parts = (Output("a\n" * 16_000), gap, Output("b\n" * 8_000), Output("c\n" * 8_000, "stderr"))
    (seen,) = sent(context(1_000_000), [computer(*parts)])
    assert "[… 118" in printed_of(seen)
    assert [part.stream for part in seen.parts[:-1]] == ["stdout", "stdout", "stderr"]
    assert len(printed_of(seen)) <= 8_000


def test_an_output_on_one_line_is_cut_as_well():
    (seen,) = sent(context(1_000_000), [computer(Output("x" * 60_000))])
    assert "[… 0 lines with 52500 characters left out …]" in printed_of(seen)


def test_whoever_asks_for_so_much_gets_that_much_of_the_end():
    ctx = context(1_000_000)
    ctx.most_output = 50_000
    (seen,) = sent(ctx, [computer(Output("x" * 60_000 + "end"))])
    assert printed_of(seen).endswith("x" * 49_997 + "end")


def test_an_output_that_is_not_long_is_sent_as_it_is():
    message = computer(Output("x" * 7_000), Output("y" * 400, "stderr"))
    assert sent(context(1_000_000), [message]) == (message,)
