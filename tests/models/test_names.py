"""Model names as people write them."""

import tomllib
from pathlib import Path

import pytest

from interpreter.models.names import BUILT_IN, resolve
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import AuthenticationFailed, ConfigurationError, UnknownModel

KEYS = {
    "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k", "GROQ_API_KEY": "k",
    "GEMINI_API_KEY": "k", "MISTRAL_API_KEY": "k", "DEEPSEEK_API_KEY": "k", "AZURE_API_KEY": "k",
}  # fmt: skip


def opened(name, **options):
    options.setdefault("environ", KEYS)
    return resolve(name, ModelOptions(**options))


@pytest.mark.parametrize(
    ("name", "options", "url", "model"),
    [
        ("gpt-4o", {}, "https://api.openai.com/v1/chat/completions", "gpt-4o"),
        ("openai/gpt-4o", {}, "https://api.openai.com/v1/chat/completions", "gpt-4o"),
        ("o3-mini", {}, "https://api.openai.com/v1/chat/completions", "o3-mini"),
        ("ollama/codestral", {}, "http://127.0.0.1:11434/v1/chat/completions", "codestral"),
        ("openai/local", {"api_base": "http://127.0.0.1:9/v1"}, "http://127.0.0.1:9/v1/chat/completions", "local"),
        ("local", {"api_base": "http://127.0.0.1:9"}, "http://127.0.0.1:9/v1/chat/completions", "local"),
        ("qwen/coder", {"api_base": "http://127.0.0.1:9/v1"}, "http://127.0.0.1:9/v1/chat/completions", "qwen/coder"),
        ("openrouter/qwen/coder", {}, "https://openrouter.ai/api/v1/chat/completions", "qwen/coder"),
        ("lmstudio/some", {}, "http://127.0.0.1:1234/v1/chat/completions", "some"),
        ("llamafile", {}, "http://127.0.0.1:8080/v1/chat/completions", ""),
        ("jan/some", {}, "http://127.0.0.1:1337/v1/chat/completions", "some"),
        ("gemini-2.5-pro", {}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "gemini-2.5-pro"),
        ("mistral-large-latest", {}, "https://api.mistral.ai/v1/chat/completions", "mistral-large-latest"),
        (
            "azure/mine",
            {"api_base": "https://x.openai.azure.com/", "api_version": "2024-10-21"},
            "https://x.openai.azure.com/openai/deployments/mine/chat/completions?api-version=2024-10-21",
            "mine",
        ),
    ],
)  # fmt: skip
def test_a_name_leads_to_an_address(name, options, url, model):
    settings = opened(name, **options).settings
    assert (settings.url, settings.model) == (url, model)


def test_ollama_follows_its_own_variable():
    model = opened("ollama/a", environ={"OLLAMA_HOST": "0.0.0.0:7000"})
    assert model.settings.url == "http://127.0.0.1:7000/v1/chat/completions"


def test_what_a_model_can_do_comes_from_the_table_and_the_user_has_the_last_word():
    known = opened("gpt-4o").capabilities
    assert (known.tools, known.images, known.context_window) == (True, True, 128_000)
    told = opened("gpt-4o", context_window=9_000, supports_vision=False, max_tokens=7).capabilities
    assert (told.images, told.context_window, told.max_output) == (False, 9_000, 7)


def test_the_dialect_comes_from_what_the_model_can_do_and_can_be_forced():
    assert opened("gpt-4o").dialect == "native"
    assert opened("gpt-4o", supports_functions=False).dialect == "fenced"
    assert opened("ollama/llama3").dialect == "mixed"
    assert opened("ollama/llama3", dialect="native").dialect == "native"


def test_a_missing_key_is_one_sentence_that_says_what_to_set():
    with pytest.raises(AuthenticationFailed, match="OPENAI_API_KEY or --api_key"):
        opened("gpt-4o", environ={})


def test_offline_refuses_models_that_are_elsewhere():
    with pytest.raises(ConfigurationError, match="offline"):
        opened("gpt-4o", offline=True)
    with pytest.raises(ConfigurationError, match="offline"):
        opened("claude-opus-4-5", offline=True)
    with pytest.raises(ConfigurationError, match="offline"):
        opened("cohere/command-r", offline=True)
    opened("ollama/llama3", offline=True)
    opened("openai/x", offline=True, api_base="http://192.168.1.5:8000/v1")


def test_no_name_is_an_error_that_gives_examples():
    with pytest.raises(UnknownModel, match="--model"):
        opened(" ")


def test_the_built_in_prefixes_are_registered_as_entry_points_too():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["interpreter.models"] == BUILT_IN


@pytest.mark.parametrize(
    ("base", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.2:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.example.org/v1", False),
        ("http://192.168.0.7/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
@pytest.mark.parametrize("name", ["gpt-4o", "anthropic/claude-opus-4-5"])
def test_only_a_model_on_this_machine_is_local_and_so_costs_nothing(name, base, local):
    assert opened(name, api_base=base).capabilities.local is local
