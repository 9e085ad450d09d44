import pytest

from interpreter.models.embedded.catalogue import catalogue, read
from interpreter.protocol.errors import ConfigurationError


def test_no_name_means_the_default_model():
    model = catalogue().get()
    assert (model.name, model.size, model.licence) == (
        "qwen2.5-coder-1.5b",
        1_117_320_768,
        "Apache-2.0",
    )


@pytest.mark.parametrize("name", ["embedded", "embedded/", "embedded/qwen2.5-coder-1.5b"])
def test_a_model_is_known_by_its_long_names_too(name):
    assert catalogue().get(name) == catalogue().get()


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(ConfigurationError, match=r"no built-in model 'gpt-5'.*qwen2.5-coder-7b"):
        catalogue().get("embedded/gpt-5")


def test_every_model_may_be_passed_on():
    assert {model.licence for model in catalogue().models.values()} == {"Apache-2.0"}


def test_the_model_for_tests_is_not_offered():
    assert "smollm2-135m" in catalogue().models
    assert "smollm2-135m" not in [model.name for model in catalogue().shown()]


@pytest.mark.parametrize("text", ["[[", "default = 'x'", "default = 'x'\n[[model]]\ncolour = 1\n"])
def test_a_broken_catalogue_is_named(tmp_path, text):
    path = tmp_path / "catalogue.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match="Cannot read the model catalogue"):
        read(path)


def test_every_file_of_the_voice_is_pinned_and_has_two_sources():
    files = catalogue().voice
    assert {file.name for file in files} == {"whisper-base", "kokoro-82m"}
    assert all(len(file.sha256) == 64 and file.huggingface and file.npm for file in files)
    assert {file.licence for file in files} == {"Apache-2.0"}
