"""A whole conversation with a real model that runs inside: stream, stop, resume, export."""

from hashlib import sha256
from pathlib import Path

import pytest
from tests.journeys.conftest import interpreter_command  # noqa: F401  (a fixture)
from tests.models.embedded.conftest import small_model  # noqa: F401  (a fixture)
from tests.models.loopback import always, serving

from interpreter.terminal.subcommands.local_menu import size_text

pytest.importorskip("xllamacpp", reason="no engine for embedded models is installed")
pytestmark = pytest.mark.timeout(600)  # two models on two busy cores are very slow
ENDS = ("tokens in,", "Run this?")
BRIEF = ("--system_message", "You are brief.")  # a long prompt takes a small machine a minute


@pytest.fixture
def embedded(start, small_model, monkeypatch, tmp_path):  # noqa: F811
    """The command with the smallest model, at its prompt; its engine ends with it."""
    monkeypatch.setenv("REPLOOP_KEEP_WARM", "0")

    def chat(*arguments, words="200"):
        model = ["--model", f"embedded/{small_model}", "--max_tokens", words, "-t", "0"]
        env = {"REPLOOP_KEEP_WARM": "0", "TMPDIR": str(tmp_path)}
        terminal = start(arguments=[*model, *BRIEF, *arguments], env=env, model=False)
        terminal.wait_for_prompt()
        return terminal

    return chat


CATALOGUE = """
default = "little"
[[model]]
name = "little"
file = "little.gguf"
size = {size}
sha256 = "{hash}"
licence = "Apache-2.0"
context = 2048
kv_bytes = 46_080
small = true
huggingface = "maker/little-GGUF"
"""


@pytest.fixture
def hub(small_model):  # noqa: F811
    """A server that has the smallest model where Hugging Face would have it."""
    content = small_model.read_bytes()
    path = "/maker/little-GGUF/resolve/main/little.gguf"
    with serving({("HEAD", path): always(b""), ("GET", path): always(content)}) as server:
        server.size = len(content)
        server.catalogue = CATALOGUE.format(size=len(content), hash=sha256(content).hexdigest())
        yield server


def test_the_first_start_downloads_checks_and_answers_after_one_key(start, hub, tmp_path):
    (tmp_path / "catalogue.toml").write_text(hub.catalogue)
    env = {
        "REPLOOP_CATALOGUE": str(tmp_path / "catalogue.toml"),
        "HF_ENDPOINT": hub.url,
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "REPLOOP_KEEP_WARM": "0",
        "TMPDIR": str(tmp_path),
    }
    terminal = start(arguments=["--max_tokens", "24", *BRIEF], env=env, model=False)
    terminal.wait_for("Welcome.", "No API key, no local server. Using the built-in little", "[y/n]")
    assert not hub.seen
    terminal.press("y")
    terminal.wait_for_prompt()
    full = f"[{'#' * 30}] {size_text(hub.size)}"
    terminal.wait_for(f"downloading {full}", f"checking    {full}")
    ask(terminal, "Say hello.")
    answer(terminal)


def ask(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


def answer(terminal):
    """Wait for the end of a turn; whatever such a small model proposes is not run."""
    terminal.wait_until(lambda: any(word in terminal.everything() for word in ENDS), ENDS)
    if "Run this?" in terminal.screen():
        terminal.press("s")
    terminal.wait_for("tokens in,")
    terminal.wait_for_prompt()


def test_it_streams_is_stopped_resumed_and_exported(embedded, interpreter_command, tmp_path):  # noqa: F811
    here = ("--workspace", str(tmp_path))
    terminal = embedded(*here, words="2000")
    ask(terminal, "Count from one to one thousand, in words.")
    terminal.wait_for("esc stops")  # from the start of the engine to its last word
    terminal.press("C-c")
    terminal.wait_for("Interrupted; everything so far is kept.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    assert terminal.wait_for_end() == 0

    resumed = embedded(*here, "--resume", "last", words="24")
    ask(resumed, "Say hello.")
    answer(resumed)
    ask(resumed, f"%markdown {tmp_path}/talk.md")
    resumed.wait_for("written to")
    text = Path(tmp_path / "talk.md").read_text()
    assert "Count from one to one thousand" in text
    assert "Say hello." in text
