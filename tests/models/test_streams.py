"""One reply, as each provider streams it. See streams/README.md for where the files come from."""

from pathlib import Path

import pytest

from interpreter.protocol.events import ReasoningDelta
from interpreter.protocol.messages import Code
from support.model_server import Raw
from support.talking import actions_of, ask, code_of, end_of, text_of

STREAMS = sorted((Path(__file__).parent / "streams").glob("*.sse"))
REPORTING = {"openai", "deepseek", "openrouter", "gemini", "mistral", "ollama", "vllm", "groq"}
CACHING = {"openai", "deepseek", "openrouter"}


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 17, 1_000_000])
def test_every_provider_says_the_same(server, open_model, path, size):
    whole = path.read_bytes()
    server.replies = [Raw([whole[at : at + size] for at in range(0, len(whole), size)])]
    events = ask(open_model())
    assert text_of(events) == "Let me."
    [action] = actions_of(events)
    assert action == Code("python", "print('hi')", action.call_id)
    assert action.call_id
    assert code_of(events) == "print('hi')"
    assert end_of(events) == "actions"
    thoughts = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    assert thoughts == ("I should run it." if path.stem in ("deepseek", "openrouter") else "")
    usage = events[-1].usage
    assert (usage is not None) == (path.stem in REPORTING)
    if usage is not None:
        assert (usage.input, usage.output) == (120, 20)
        assert usage.cached == (64 if path.stem in CACHING else 0)
        assert usage.dollars == (0.00123 if path.stem == "openrouter" else 0.0)
