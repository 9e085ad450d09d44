"""Directories that the user trusts."""

from pathlib import Path

import pytest

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings import trust
from interpreter.settings.paths import config_directory


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))


def test_a_trusted_directory_covers_what_is_below_it(tmp_path):
    project = tmp_path / "project"
    (project / "deep").mkdir(parents=True)
    assert not trust.is_trusted(project)
    trust.trust(project)
    assert trust.is_trusted(project)
    assert trust.is_trusted(project / "deep")
    assert not trust.is_trusted(tmp_path)
    assert trust.distrust(project)
    assert not trust.is_trusted(project)
    assert not trust.distrust(project)


def test_a_link_to_a_directory_is_that_directory(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    trust.trust(tmp_path / "link")
    assert trust.trusted() == ((tmp_path / "real").resolve(),)


@pytest.mark.parametrize("place", ["/", "/nowhere/at/all"])
def test_the_whole_disk_and_nothing_cannot_be_trusted(place):
    with pytest.raises(ConfigurationError):
        trust.trust(Path(place))


@pytest.mark.parametrize("content", ["{", "{}"])
def test_a_broken_list_trusts_nothing_and_says_so(tmp_path, content):
    trust.trust(tmp_path)
    (config_directory() / "trusted.json").write_text(content)
    with pytest.raises(ConfigurationError, match=r"trusted\.json"):
        trust.is_trusted(tmp_path)


def test_a_directory_that_was_declined_is_not_asked_about_again(tmp_path):
    assert not trust.was_declined(tmp_path)
    trust.decline(tmp_path)
    assert trust.was_declined(tmp_path)
    assert not trust.is_trusted(tmp_path)
    trust.trust(tmp_path)
    assert trust.is_trusted(tmp_path)
    assert not trust.was_declined(tmp_path)
