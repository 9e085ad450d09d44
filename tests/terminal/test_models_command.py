import re

import pytest

from interpreter.models.embedded.catalogue import catalogue
from interpreter.models.embedded.downloads import Places
from interpreter.protocol.errors import ConfigurationError, ModelError
from interpreter.terminal.subcommands.models import Bar, models_command


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path, sources=())


def test_the_list_marks_the_default_and_what_is_here(places, capsys):
    (places.directory / catalogue().get().file).write_bytes(b"GGUF")
    assert models_command(["list"], places) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("* qwen2.5-coder-1.5b")
    assert str(places.directory) in lines[0]
    assert "not downloaded" in lines[1]
    assert re.search(r"2.2 GB of memory, about \d+ tokens/s", lines[0])
    assert lines[-1].startswith("Best for this machine: qwen2.5-coder-")


def test_pulling_what_is_here_tells_where(places, capsys):
    path = places.directory / catalogue().get().file
    path.write_bytes(b"GGUF")
    assert models_command(["pull"], places) == 0
    assert capsys.readouterr().out.strip() == str(path)


def test_pulling_without_a_source_says_what_helps(places):
    with pytest.raises(ModelError, match="put it into"):
        models_command(["pull", "qwen2.5-coder-1.5b"], places)


def test_removing_tells_what_was_freed(places, capsys):
    (places.directory / catalogue().get().file).write_bytes(bytes(3_000_000))
    assert models_command(["rm", "qwen2.5-coder-1.5b"], places) == 0
    assert models_command(["rm", "qwen2.5-coder-1.5b"], places) == 0
    assert capsys.readouterr().out.splitlines() == [
        "3 MB freed.",
        "qwen2.5-coder-1.5b was not downloaded by us.",
    ]


@pytest.mark.parametrize("wrong", [["rm"], ["fly"], ["pull", "a", "b"]])
def test_wrong_words_show_the_usage(places, wrong):
    with pytest.raises(ConfigurationError, match="usage:"):
        models_command(wrong, places)


@pytest.mark.parametrize("content", [None, "[]", "{"])
def test_a_price_map_that_is_none_is_one_sentence(places, tmp_path, content):
    file = tmp_path / "nofile"
    if content:
        file.write_text(content)
    with pytest.raises(ConfigurationError, match=str(file)) as error:
        models_command(["prices", str(file)], places)
    assert len(str(error.value).splitlines()) == 1


def test_an_unknown_name_is_told_what_there_is(places):
    with pytest.raises(ConfigurationError, match=r"there are: qwen2\.5-coder-1\.5b"):
        models_command(["pull", "gpt-9"], places)


def test_where_there_is_no_terminal_a_download_says_little():
    said = []
    bar = Bar(said.append)
    for done in range(0, 1001):
        bar("downloading", done * 1_000_000, 1_000_000_000)
    assert len(said) == 11
    assert said[-1] == "downloading: 1.0 GB of 1.0 GB\n"
