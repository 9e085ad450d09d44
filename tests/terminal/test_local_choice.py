"""A machine without a key: the menu of `--local`, and the question that a first run asks."""

import json

import pytest
from tests.journeys.conftest import COMMAND
from tests.models.loopback import serving
from tests.models.wire_of_servers import QWEN, ollama

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import data_directory
from interpreter.terminal.subcommands.local_models import choose_local


@pytest.fixture
def server(monkeypatch):
    """Ollama, where OLLAMA_HOST says."""
    with serving(ollama()) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_the_menu_is_shown_and_what_is_picked_is_used_and_remembered(start, server):
    there = {"OLLAMA_HOST": server.url}
    first = start(argv=[COMMAND, "--local"], env=there)
    first.wait_for("Enter for qwen2.5-coder-1.5b")
    first.type("r:7b")
    first.press("Enter")
    first.wait_for_prompt()
    first.press("C-d")
    first.wait_for_end()
    second = start(argv=[COMMAND, "--local"], env=there)
    second.wait_for(f"Enter for {QWEN}")
    second.press("Enter")
    second.wait_for_prompt()
    second.type("What is six times seven?")
    second.press("Enter")
    second.wait_for("print(6 * 7)")
    assert QWEN in [json.loads(body)["model"] for _, path, body in server.seen if "chat" in path]


def test_where_nobody_can_pick_it_is_the_same_as_before_and_offline(server):
    data_directory().mkdir(parents=True)
    (data_directory() / "local-model").write_text(f"ollama/{QWEN}\n")
    assert choose_local() == {
        "offline": True,
        "model": f"ollama/{QWEN}",
        "api_base": f"{server.url}/v1",
        "context_window": 32768,
    }


def test_the_menu_asks_before_it_downloads(start):
    terminal = start(argv=[COMMAND, "--local"], env={"OLLAMA_HOST": "127.0.0.1:9"})
    terminal.wait_for("Enter for qwen2.5-coder-1.5b")
    terminal.press("Enter")
    terminal.wait_for("is not on this machine: download 1.1 GB? [y/n]")
    terminal.type("n\n")
    assert terminal.wait_for_end() == 2
    assert "interpreter models pull qwen2.5-coder-1.5b" in terminal.everything()


def test_where_nobody_can_be_asked_nothing_is_downloaded(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(ConfigurationError, match="interpreter models pull qwen2"):
        choose_local()


def test_a_first_run_asks_once_before_it_downloads(start):
    terminal = start(argv=[COMMAND], env={"OLLAMA_HOST": "127.0.0.1:9"})
    terminal.wait_for("No API key, no local server.", "one download of 1.1 GB", "[y/n]")
    terminal.type("n")
    terminal.wait_for("interpreter models pull")
    terminal.wait_for_end()
    assert terminal.everything().count("[y/n]") == 1
