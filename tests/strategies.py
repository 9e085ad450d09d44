"""Random messages, events and scripts for property tests."""

from hypothesis import strategies as st

from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    DisplayShown,
    OutputCleared,
    OutputDelta,
    ReasoningDelta,
    TextDelta,
)
from interpreter.protocol.messages import (
    ActionCall,
    ActionResult,
    Code,
    Display,
    Face,
    MalformedCall,
    Message,
    Output,
    Reasoning,
    Text,
)

anything = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates too
languages = st.sampled_from(["python", "shell", "javascript"])
streams = st.sampled_from(["stdout", "stderr"])
faces = st.one_of(
    st.builds(Face, st.sampled_from(["text/plain", "text/html"]), anything),
    st.builds(Face, st.sampled_from(["image/png", "image/jpeg"]), st.binary(max_size=40)),
)
displays = st.builds(Display, st.lists(faces, max_size=3).map(tuple), st.sampled_from(["", "d1"]))
codes = st.builds(Code, languages, anything, st.sampled_from(["", "c1", "c2"]))
calls = st.builds(ActionCall, st.sampled_from(["search", "edit"]), st.just("{}"), anything)
malformed = st.builds(MalformedCall, anything, anything, anything)
outcomes = st.sampled_from(["ok", "failed", "interrupted", "declined", "died"])
parts = st.one_of(
    st.builds(Text, anything),
    st.builds(Reasoning, anything, anything),
    codes,
    calls,
    malformed,
    st.builds(Output, anything, streams, st.integers(0, 5)),
    displays,
    st.builds(ActionResult, anything, outcomes, anything),
)
messages = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "computer"]),
    st.lists(parts, min_size=1, max_size=5).map(tuple),
    st.sampled_from(["complete", "interrupted"]),
    st.sampled_from(["everyone", "user", "assistant"]),
)
reply_events = st.one_of(
    st.builds(TextDelta, anything),
    st.builds(ReasoningDelta, anything),
    st.builds(CodeDelta, languages, anything),
    st.builds(ActionProposed, st.one_of(codes, calls, malformed)),
)
block_events = st.one_of(
    st.builds(OutputDelta, anything, streams),
    st.builds(DisplayShown, displays, st.booleans()),
    st.builds(OutputCleared, st.booleans()),
)
