import pytest

from interpreter.models.catalogue import catalogue
from interpreter.models.choice import Choice
from interpreter.models.downloads import Places
from interpreter.models.downloads_shared import DownloadFailed
from interpreter.terminal.first_run import get_ready, missing_model

NOBODY_NAMED_IT = Choice("embedded/qwen2.5-coder-1.5b", "Using the built-in one.", download=1)


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path, sources=())


def never(question):
    raise AssertionError("nobody should be asked")


def test_who_says_no_gets_no_download(places, capsys):
    asked = []
    assert get_ready(NOBODY_NAMED_IT, places, lambda q: asked.append(q)) is False
    assert asked == ["Download it now? [Y/n] "]
    assert capsys.readouterr().err == "Using the built-in one.\n"


def test_who_says_yes_gets_the_download(places):
    with pytest.raises(DownloadFailed, match="put it into"):  # there is no source to get it from
        get_ready(NOBODY_NAMED_IT, places, lambda question: True)


def test_who_names_the_model_is_not_asked(places):
    with pytest.raises(DownloadFailed):
        get_ready(Choice("embedded"), places, never)


def test_a_model_that_is_here_is_used_at_once(places):
    (places.directory / catalogue().get().file).write_bytes(b"GGUF")
    assert get_ready(NOBODY_NAMED_IT, places, never) is True


@pytest.mark.parametrize("name", ["gpt-5.5", "ollama/x", "embedded/own/file.gguf", ""])
def test_other_models_need_nothing_from_us(places, name):
    assert missing_model(name, places) is None


def test_when_nothing_can_be_used_it_is_not_ready(places):
    assert get_ready(Choice("", "Install something."), places, never) is False
