import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from interpreter.models.embedded.catalogue import Sampling, catalogue
from interpreter.models.embedded.machine import Machine, best_size, fits, room_for
from interpreter.models.embedded.model import (
    EmbeddedModel,
    SharedEngine,
    Speech,
    engine_options,
    open_model,
    places,
)
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import ConfigurationError, UnknownModel
from interpreter.protocol.events import CodeDelta, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import user_says
from interpreter.protocol.ports import Request

GIGABYTE = 1 << 30
SYSTEM = "You are a friendly helper who always answers in one short sentence. " * 8
EXAMPLE_OF_CODE = """You write Python code in a block. For example:
```python
print("good day")
```
Write only such a block."""
SHORT = Speech(Sampling(max_tokens=8))


def opened(options, speech=SHORT):
    return EmbeddedModel("embedded/test", SharedEngine(options), speech)


def ask(model, text="Say hello.", interrupt=None):
    return list(model.stream(Request(SYSTEM, (user_says(text),)), interrupt or Interrupt()))


def usage(events):
    (end,) = [event for event in events if isinstance(event, ReplyFinished)]
    return end.usage


def test_it_answers_without_any_key(shared_options):
    model = opened(shared_options)
    events = ask(model)
    model.close()
    assert "".join(event.text for event in events if isinstance(event, TextDelta))
    assert usage(events).output <= 8


def test_a_greedy_model_says_the_same_again(shared_options):
    model = opened(shared_options)
    first, second = ask(model), ask(model)
    model.close()
    assert first[:-1] == second[:-1]


def test_several_drafts_are_written_at_once(shared_options):
    model = opened(shared_options, Speech(Sampling(max_tokens=60)))
    request = Request(EXAMPLE_OF_CODE, (user_says("Print the word hello with Python."),))
    drafts = model.drafts(request, range(4), Interrupt())
    usual = [event for event in model.stream(request, Interrupt())]
    model.close()
    assert 0 < len(drafts) <= 4
    assert all(draft.language == "python" and draft.source for draft in drafts)
    assert isinstance(usual[-1], ReplyFinished)


def test_one_draft_of_what_was_not_answered_before_is_as_sure_as_can_be(shared_options):
    request = Request(EXAMPLE_OF_CODE, (user_says("Print five words that begin with b."),))
    written = {}
    for seed in (1, 2):
        model = opened(shared_options, Speech(Sampling(max_tokens=60), seed=seed))
        written[seed] = [model.drafts(request, range(at, at + 1), Interrupt()) for at in range(9)]
        model.close()
    first, *others = zip(written[1], written[2], strict=True)
    assert first[0] == first[1]
    assert any(one != other for one, other in others)  # asked again, it says something else


def test_drafts_that_nobody_wants_or_waits_for_are_not_written(shared_options):
    model = opened(shared_options)
    stopped = Interrupt()
    stopped.request()
    request = Request(SYSTEM, (user_says("Print the word hello."),))
    assert model.drafts(request, range(0), Interrupt()) == ()
    assert model.drafts(request, range(4), stopped) == ()
    model.close()


def framed(options, frame, asked="Say hello.", *, frames=True):
    speech = Speech(Sampling(max_tokens=60), frames=frames)
    model = opened(options, speech)
    request = Request(SYSTEM, (user_says(asked),), frame=frame)
    events = list(model.stream(request, Interrupt()))
    model.close()
    return events


def test_a_reply_is_held_to_its_frame_while_it_is_written(shared_options):
    block = framed(shared_options, "block")
    assert not any(isinstance(event, TextDelta) for event in block)
    assert any(isinstance(event, CodeDelta) for event in block)
    schema = '{"type": "object", "properties": {"n": {"enum": [7]}}, "required": ["n"]}'
    said = "".join(e.text for e in framed(shared_options, schema) if isinstance(e, TextDelta))
    assert json.loads(said) == {"n": 7}


def test_a_file_begins_with_code_and_not_with_a_copy_of_the_request(shared_options):
    asked = "# Instructions\n\nSay hello.\n\nRepeat this word for word:\n# Instructions"
    written = {
        frame: "".join(
            event.text
            for event in framed(shared_options, frame, asked)
            if isinstance(event, CodeDelta)
        )
        for frame in ("block", "file")
    }
    assert written["block"].startswith("#")
    assert written["file"].strip()[:1] not in ("", "#")


def test_a_frame_can_be_switched_off(shared_options):
    free = framed(shared_options, "block", frames=False)
    assert any(isinstance(event, TextDelta) for event in free)


def test_another_mood_says_something_else(shared_options):
    model = opened(shared_options, Speech(Sampling(max_tokens=24)))
    usual = ask(model, "Tell me a story.")
    moods = [model.varied(seed) for seed in (2, 3, 4)]
    others = [ask(mood, "Tell me a story.") for mood in moods]
    for one in (model, *moods):
        one.close()
    assert any(other[:-1] != usual[:-1] for other in others)


def test_a_system_text_is_not_read_twice_even_by_another_engine(engine_options):
    first = opened(engine_options)
    whole = usage(ask(first, "One."))
    first.close()  # and with it the engine, since nothing keeps it warm
    second = opened(engine_options)
    again = usage(ask(second, "Two."))
    second.close()
    assert len(list(engine_options.cache.glob("*.prompt"))) == 1
    assert again.cached > 100
    assert again.input - again.cached < whole.input / 4


def test_a_system_text_that_differs_at_its_end_is_not_read_from_the_beginning(engine_options):
    first = opened(engine_options)
    ask(first)
    first.close()
    second = opened(engine_options)
    tomorrow = Request(f"{SYSTEM} Today is Monday.", (user_says("Say hello."),))
    again = usage(list(second.stream(tomorrow, Interrupt())))
    second.close()
    assert again.cached > 100
    assert len(list(engine_options.cache.glob("*.prompt"))) == 1


def test_a_broken_cache_costs_time_and_no_answer(engine_options):
    first = opened(engine_options)
    ask(first)
    first.close()
    (kept,) = engine_options.cache.glob("*.prompt")
    kept.write_bytes(b"rubbish")
    second = opened(engine_options)
    assert usage(ask(second)).output > 0
    second.close()


def test_a_system_text_that_was_read_in_part_is_not_kept_as_if_it_were_all(engine_options):
    first = opened(engine_options)
    ask(first)
    stopped = Interrupt()
    stopped.request()
    other = Request("You never say hello. " * 30, (user_says("Say hello."),))
    assert not any(isinstance(e, ReplyFinished) for e in first.stream(other, stopped))
    assert len(list(engine_options.cache.glob("*.prompt"))) == 1
    list(first.stream(other, Interrupt()))
    assert len(list(engine_options.cache.glob("*.prompt"))) == 2
    first.close()


def test_a_kept_state_that_holds_nothing_is_read_anew(engine_options):
    first = opened(engine_options)
    ask(first)
    first.close()
    (kept,) = engine_options.cache.glob("*.prompt")
    whole = kept.stat().st_size
    kept.write_bytes(kept.read_bytes()[:8] + bytes(28))  # as it is where no token was read
    second = opened(engine_options)
    ask(second)
    second.close()
    (kept,) = engine_options.cache.glob("*.prompt")
    assert kept.stat().st_size == whole


def test_drafts_under_another_system_text_leave_what_was_read_where_it_is(engine_options):
    model = opened(engine_options)
    ask(model, "One.")
    other = Request("You write Python. " * 30, (user_says("Print the word hello."),))
    model.drafts(other, range(1), Interrupt())
    again = usage(ask(model, "Two."))
    model.close()
    assert again.cached > 100


def test_few_prompts_are_kept(engine_options, monkeypatch):
    monkeypatch.setattr("interpreter.models.embedded.engine_cache.KEPT", 2)
    model = opened(engine_options)
    for system in ("One.", "Two.", "Three.", "Four."):
        list(model.stream(Request(system, (user_says("Hi"),)), Interrupt()))
    model.close()
    assert len(list(engine_options.cache.glob("*.prompt"))) == 2


def test_an_engine_that_ended_is_joined_again(engine_options):
    engine = SharedEngine(engine_options)
    model = EmbeddedModel("embedded/test", engine, SHORT)
    ask(model)
    engine.close()
    assert usage(ask(model)).output > 0
    model.close()


def test_an_interrupt_ends_the_reply_quietly(shared_options):
    model = opened(shared_options, Speech(Sampling(max_tokens=500)))
    interrupt = Interrupt()
    events = []
    for event in model.stream(Request(SYSTEM, (user_says("Count to 1000."),)), interrupt):
        events.append(event)
        interrupt.request()
    model.close()
    assert len(events) < 100
    assert not any(isinstance(event, ReplyFinished) for event in events)


def test_a_model_that_is_not_here_says_how_to_get_it():
    with pytest.raises(UnknownModel, match=r"1.1 GB\): interpreter models pull qwen2.5-coder-1.5b"):
        open_model("embedded", ModelOptions(offline=True))


def test_a_path_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "x.gguf"
    path.write_text("no")
    with pytest.raises(ConfigurationError, match="is not a GGUF file"):
        open_model(f"embedded/{path}", ModelOptions())


def test_a_file_of_ones_own_is_opened(small_model):
    model = open_model(f"embedded/{small_model}", ModelOptions(context_window=1024))
    assert model.name == f"embedded/{small_model.name}"
    assert model.capabilities.context_window == 1024
    model.close()


def test_offline_nothing_is_fetched():
    assert places(ModelOptions(offline=True)).sources == ()


def test_the_context_is_sized_to_the_memory(tmp_path):
    model = catalogue().get()
    file = tmp_path / model.file
    file.touch()
    os.truncate(file, model.size)
    sizes = {
        free: engine_options(
            model, file, ModelOptions(), Machine(2, free * GIGABYTE, free * GIGABYTE)
        ).context
        for free in (1, 3, 4, 16)
    }
    assert sizes == {1: 4096, 3: 16384, 4: 32768, 16: 32768}


def test_what_the_user_says_about_the_context_counts(small_model):
    options = ModelOptions(context_window=3000)
    machine = Machine(3, GIGABYTE, GIGABYTE)
    made = engine_options(catalogue().get("smollm2-135m"), small_model, options, machine)
    assert (made.context, made.threads) == (3000, 3)


def test_a_model_bigger_than_the_memory_does_not_fit():
    small = Machine(2, 4 * GIGABYTE, 2 * GIGABYTE)
    assert fits(small, 1_100_000_000)
    assert not fits(small, 4_700_000_000)
    assert room_for(small, 4_700_000_000, 57_344, 32_768) == 0


@pytest.mark.parametrize(
    ("cores", "free", "best"),
    [(2, 20, 1_100), (4, 20, 4_700), (8, 6, 1_100), (16, 64, 9_000), (1, 1, 1_100)],
)
def test_the_largest_model_that_fits_and_is_fast_enough_is_the_best(cores, free, best):
    machine = Machine(cores, 64 * GIGABYTE, free * GIGABYTE)
    sizes = [size * 10**6 for size in (4_700, 1_100, 19_900, 9_000)]
    assert best_size(machine, sizes) == best * 10**6


def test_how_long_an_engine_stays_warm_can_be_said(small_model):
    machine = Machine(2, 4 * GIGABYTE, 4 * GIGABYTE)

    def kept(said):
        options = ModelOptions(environ={"REPLOOP_KEEP_WARM": said})
        return engine_options(catalogue().get("smollm2-135m"), small_model, options, machine)

    assert (kept("").keep_warm, kept("7").keep_warm) == (300, 7)
    with pytest.raises(ConfigurationError, match="is a number of seconds, not 'long'"):
        kept("long")


def test_sessions_that_share_an_engine_get_each_its_own_reply(engine_options):
    """While one is written, others ask: nothing of theirs gets into it."""
    asked = {
        "cat": "Tell me a long story about a cat.",
        "bread": "How do I bake bread? Tell me all steps.",
        "moon": "Tell me all you know about the moon.",
    }
    models = {one: opened(engine_options, Speech(Sampling(max_tokens=40))) for one in asked}

    def said(one):
        request = Request(SYSTEM, (user_says(asked[one]),))
        texts = []
        for _ in range(3):
            events = models[one].stream(request, Interrupt())
            texts += [event.text for event in events if isinstance(event, TextDelta | CodeDelta)]
        return "".join(texts).lower()

    with ThreadPoolExecutor(len(asked)) as pool:
        replies = dict(zip(asked, pool.map(said, asked), strict=True))
    for model in models.values():
        model.close()
    found = {one: {other for other in asked if other in reply} for one, reply in replies.items()}
    assert found == {one: {one} for one in asked}


@pytest.mark.parametrize(("threads", "together"), [(1, 1), (2, 1), (8, 2)])
def test_few_cores_write_one_draft_at_a_time(engine_options, threads, together):
    engine = SharedEngine(replace(engine_options, threads=threads))
    assert EmbeddedModel("embedded/test", engine, SHORT).drafts_together == together
