"""Which sandbox is taken, and that a weaker one is announced."""

import os
import pathlib

import pytest

from interpreter.protocol.errors import ConfigurationError, SandboxUnavailable
from interpreter.sandboxes.backends.fallback import FirstThatHolds, best_sandbox
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.sandboxes.backends.seatbelt import SeatbeltSandbox, profile
from interpreter.sandboxes.cell.building_site import BuildingSite
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.doctor import examine


class Missing:
    def __init__(self, why):
        self.why = why

    def open(self, workspace):
        raise SandboxUnavailable(self.why)


def test_the_strongest_is_taken_without_a_word(tmp_path):
    notices = []
    sandbox = best_sandbox(
        Confinement(programs=interpreter_places()), os.environ, notice=notices.append
    )
    cell = sandbox.open(tmp_path)
    cell.close()
    assert "bubblewrap" in cell.describe()
    assert notices == []


def test_a_weaker_one_is_announced_in_one_line(tmp_path):
    notices = []
    sandboxes = [("strong", Missing("it is not installed.")), ("weak", NoSandbox())]
    FirstThatHolds(sandboxes, notices.append).open(tmp_path).close()
    assert len(notices) == 1
    assert "not sandboxed" in notices[0]
    assert "strong: it is not installed." in notices[0]


def test_none_at_all_is_an_error_that_says_what_to_do(tmp_path):
    sandboxes = [("a", Missing("no namespaces")), ("b", Missing("old kernel"))]
    with pytest.raises(SandboxUnavailable, match="a: no namespaces; b: old kernel") as caught:
        FirstThatHolds(sandboxes, lambda text: None).open(tmp_path)
    assert "apt install bubblewrap" in str(caught.value)


@pytest.mark.parametrize(("mode", "shown"), [(0o000, "d---------"), (0o555, "dr-xr-xr-x")])
def test_a_workspace_that_cannot_be_used_is_no_reason_to_go_without_walls(tmp_path, mode, shown):
    place = tmp_path / "work"
    place.mkdir(mode=mode)
    confinement = Confinement(programs=interpreter_places())
    sandbox = best_sandbox(confinement, os.environ)
    with pytest.raises(ConfigurationError, match=f"{shown}.*chmod"):
        sandbox.open(place)
    place.chmod(0o700)


def test_the_doctor_tries_what_it_reports():
    facts = {fact.name: fact for fact in examine(os.environ)}
    assert facts["bubblewrap"].good
    assert facts["bubblewrap"].detail.endswith("tried from inside")
    assert facts["user"].good == (os.geteuid() != 0)
    assert all(fact.fix or fact.good or fact.name == "seccomp" for fact in facts.values())


def test_the_doctor_names_the_command_that_mends(monkeypatch):
    def missing():
        raise SandboxUnavailable("bubblewrap is not installed")

    monkeypatch.setattr("interpreter.sandboxes.doctor.find_bubblewrap", missing)
    (fact,) = [fact for fact in examine(os.environ) if fact.name == "bubblewrap"]
    assert not fact.good
    assert fact.fix.startswith("sudo apt install bubblewrap")


def test_the_profile_for_a_mac_denies_first_and_hides_keys_last(tmp_path):
    site = BuildingSite.prepare(tmp_path, os.environ)
    text = profile(site, Confinement())
    site.remove()
    assert text.startswith("(version 1)\n(deny default)\n")
    assert f'(allow file-write* (subpath "{site.exchange}")' in text
    assert text.rstrip().splitlines()[-1].startswith("(deny file-read* file-write*")
    assert f'(subpath "{site.home}/.ssh")' in text
    assert "(allow network*)\n" not in text
    assert text.count("(") == text.count(")")


def test_there_is_no_sandbox_of_macos_elsewhere(tmp_path):
    if pathlib.Path("/usr/bin/sandbox-exec").exists():
        pytest.skip("this is a Mac")
    with pytest.raises(SandboxUnavailable, match="macOS"):
        SeatbeltSandbox(Confinement(), os.environ).open(tmp_path)
