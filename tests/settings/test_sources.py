"""Each setting says where it comes from, and the later source wins."""

import stat

import pytest

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings import keys
from interpreter.settings.paths import config_directory, profile_directory
from interpreter.settings.sources import gather, parse, settings_file, write_setting


def write_profile(name, text):
    profile_directory().mkdir(parents=True, exist_ok=True)
    (profile_directory() / f"{name}.yaml").write_text(text)


def test_nothing_said_means_the_defaults():
    sourced = gather({})
    assert set(sourced.sources.values()) == {"default"}


def test_the_later_source_wins_and_is_named(monkeypatch):
    write_setting("model", "from-file")
    write_setting("max_steps", 7)
    write_setting("temperature", 0.5)
    write_profile("mine", "model: from-profile\nmax_tokens: 100\ntemperature: 0.7\n")
    monkeypatch.setenv("INTERPRETER_MODEL", "from-environment")
    monkeypatch.setenv("INTERPRETER_AUTO_RUN", "yes")
    sourced = gather({"auto_run": False}, profile="mine")
    values = {
        name: (getattr(sourced.settings, name), sourced.sources[name])
        for name in ("model", "max_steps", "max_tokens", "temperature", "auto_run", "plain")
    }
    assert values == {
        "model": ("from-environment", "environment"),
        "max_steps": (7, "file"),
        "max_tokens": (100, "profile"),
        "temperature": (0.7, "profile"),
        "auto_run": (False, "flag"),
        "plain": (False, "default"),
    }


def test_the_token_of_the_server_is_no_key_for_a_model(monkeypatch):
    monkeypatch.setenv("INTERPRETER_API_KEY", "of-the-server")
    sourced = gather({})
    assert (sourced.settings.api_key, sourced.sources["api_key"]) == ("", "default")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("auto_run", "on", True),
        ("auto_run", "0", False),
        ("max_steps", "12", 12),
        ("temperature", "0.25", 0.25),
        ("model", "gpt", "gpt"),
        ("supports_vision", "yes", True),
        ("supports_vision", "auto", None),
        ("loop_breakers", "done., stop.", ("done.", "stop.")),
    ],
)
def test_text_becomes_a_setting_of_its_type(name, text, value):
    assert parse(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"), [("max_steps", "many"), ("auto_run", "maybe"), ("no", "1")]
)
def test_text_of_the_wrong_type_is_an_error(name, text):
    with pytest.raises(ConfigurationError, match=name):
        parse(name, text)


def test_a_broken_file_is_one_sentence():
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("model: [")
    with pytest.raises(ConfigurationError, match="Cannot read the settings"):
        gather({})


def test_an_unknown_setting_in_the_file_is_named():
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("modle: x\n")
    with pytest.raises(ConfigurationError, match="modle"):
        gather({})


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("modle: x", "there is no setting 'modle'. Did you mean 'model'?"),
        ("max_steps: many", "'max_steps' must be of type int, not 'many'."),
        ("max_budget: -1", "'max_budget' cannot be negative, as -1 is."),
        ("sandbox: of", "'sandbox' is one of read-only, workspace, trusted, off; not 'of'."),
        ("images: crayons", "'images' is one of auto, kitty"),
        ("edit_mode: ''", "'edit_mode' is one of emacs, vi; not ''."),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(line, complaint):
    for path, name in ((settings_file(), ""), (profile_directory() / "mine.yaml", "mine")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# mine\nauto_run: true\n{line}\n")
        with pytest.raises(ConfigurationError) as error:
            gather({}, profile=name)
        assert f"{path}, line 3: {complaint}" in str(error.value)
        path.unlink()


def test_a_mistake_in_a_group_of_a_profile_is_named_with_its_line():
    write_profile("mine", "auto_run: true\nllm:\n  model: x\n  temperature: hot\n")
    with pytest.raises(ConfigurationError, match=r"mine\.yaml, line 4: 'temperature'"):
        gather({}, profile="mine")


@pytest.mark.parametrize("name", ["approval", "dialect", "reasoning_effort"])
def test_a_choice_that_may_be_left_out_can_be_empty(name):
    assert getattr(gather({name: ""}).settings, name) == ""


def test_a_forgotten_setting_is_the_default_again():
    write_setting("max_steps", 7)
    write_setting("max_steps", None)
    assert gather({}).settings.max_steps == 100


# Keys.


def test_a_key_is_kept_where_only_its_owner_can_read_it():
    where = keys.keep_key("openai", "sk-secret")
    file = config_directory() / "keys.json"
    assert where == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys.find_key("openai") == "sk-secret"
    assert keys.kept_keys() == {"OPENAI_API_KEY": "sk-secret"}


def test_a_forgotten_key_is_gone():
    keys.keep_key("openai", "sk-secret")
    assert keys.forget_key("openai")
    assert not keys.forget_key("openai")
    assert keys.find_key("openai") == ""
    assert "sk-secret" not in (config_directory() / "keys.json").read_text()


def test_a_file_of_keys_that_others_can_read_is_refused():
    keys.keep_key("openai", "sk-secret")
    (config_directory() / "keys.json").chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        keys.find_key("openai")
