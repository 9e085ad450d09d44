from dataclasses import replace

from interpreter.models.choice import KEYS, Choice, ChoiceFacts, best_of, choose_model
from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.local.readings import LocalModel
from interpreter.models.local.servers import OLLAMA, LocalServer
from interpreter.models.prices import facts_about


def no_servers():
    return ()


def must_not_look():
    raise AssertionError("nobody needs to look for servers")


BARE = ChoiceFacts(environ={}, find_servers=no_servers, embedded=catalogue().get())
RUNNING = LocalServer(OLLAMA, "http://127.0.0.1:11434", (LocalModel("llama3.2:3b"),))


def test_what_was_asked_for_wins_and_is_not_explained():
    facts = ChoiceFacts({"OPENAI_API_KEY": "k"}, must_not_look, catalogue().get(), model="ollama/x")
    assert choose_model(facts) == Choice("ollama/x")


def test_a_key_comes_before_a_server():
    facts = replace(BARE, environ={"ANTHROPIC_API_KEY": "k"}, find_servers=must_not_look)
    chosen = choose_model(facts)
    assert chosen.name.startswith("anthropic/")
    assert chosen.sentence == f"Using {chosen.name}: ANTHROPIC_API_KEY is set."


def test_the_model_of_a_key_is_one_that_we_know():
    unknown = [name for name in KEYS.values() if facts_about(name).context_window is None]
    assert unknown == ["openrouter/auto"]  # it chooses another by itself


def test_an_empty_key_is_no_key():
    assert choose_model(replace(BARE, environ={"OPENAI_API_KEY": ""})).name.startswith("embedded/")


def test_offline_a_key_does_not_count():
    facts = replace(BARE, environ={"OPENAI_API_KEY": "k"}, offline=True)
    assert choose_model(facts).name == "embedded/qwen2.5-coder-1.5b"


def test_a_running_server_comes_before_the_built_in_model():
    assert choose_model(replace(BARE, find_servers=lambda: (RUNNING,))) == Choice(
        "ollama/llama3.2:3b",
        "No API key. Ollama is running: using its llama3.2:3b.",
        api_base="http://127.0.0.1:11434/v1",
    )


def test_a_server_without_a_model_for_chat_does_not_count():
    empty = replace(RUNNING, models=(LocalModel("nomic-embed-text:latest"),))
    chosen = choose_model(replace(BARE, find_servers=lambda: (empty,)))
    assert chosen.name.startswith("embedded/")


def test_the_first_run_says_what_it_costs():
    assert choose_model(BARE) == Choice(
        "embedded/qwen2.5-coder-1.5b",
        "No API key, no local server. Using the built-in qwen2.5-coder-1.5b: "
        "one download of 1.1 GB, then offline.",
        download=1_117_320_768,
    )


def test_a_larger_model_is_offered_where_the_machine_has_room():
    larger = catalogue().get("qwen2.5-coder-7b")
    assert choose_model(replace(BARE, better=larger)).sentence.endswith(
        "The larger qwen2.5-coder-7b (4.7 GB) fits this machine, too, and errs less: "
        "--model embedded/qwen2.5-coder-7b."
    )


def test_the_second_run_costs_nothing():
    chosen = choose_model(replace(BARE, embedded_is_here=True))
    assert (chosen.download, chosen.sentence) == (
        0,
        "No API key, no local server. Using the built-in qwen2.5-coder-1.5b, offline.",
    )


def test_without_llama_cpp_the_user_is_told_what_to_install():
    chosen = choose_model(replace(BARE, embedded_runs=False))
    assert chosen.name == ""
    assert "pip install '.[local]' in the checkout of reploop" in chosen.sentence
    assert "interpreter config key PROVIDER" in chosen.sentence


def test_a_loaded_model_is_preferred_and_then_one_for_code():
    models = (LocalModel("gemma3"), LocalModel("qwen2.5-coder:7b"), LocalModel("phi4", loaded=True))
    assert best_of(models).name == "phi4"
    assert best_of(models[:2]).name == "qwen2.5-coder:7b"
    assert best_of(()) is None
