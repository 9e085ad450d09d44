"""Semgrep adds to the built-in scan, and its failures add nothing."""

import json
import shutil
import stat
import sys

import pytest

from interpreter.policies.scan.semgrep import Semgrep, find_semgrep
from interpreter.protocol.actions import Finding

FOUND = {"results": [{"start": {"line": 2}, "check_id": "a.b.rule", "extra": {"message": "why\n"}}]}


@pytest.fixture
def program(tmp_path):
    """A program that prints what it is told to, and checks how it is called."""

    def make(text):
        file = tmp_path / "semgrep"
        file.write_text(
            f"#!{sys.executable}\nimport sys\nassert '--metrics=off' in sys.argv\n"
            f"assert open(sys.argv[-1]).read() == 'x = 1'\nprint({text!r})"
        )
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return str(file)

    return make


def test_findings_are_taken_over(program):
    assert Semgrep(program(json.dumps(FOUND)))("py", "x = 1") == (Finding(2, "rule", "why"),)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"results": [{}]}', '{"results": 3}'])
def test_nonsense_is_no_finding(program, text):
    assert Semgrep(program(text))("python", "x = 1") == ()


def test_a_missing_program_and_an_unknown_language_find_nothing(tmp_path, monkeypatch):
    assert Semgrep(str(tmp_path / "none"))("python", "x = 1") == ()
    assert Semgrep(str(tmp_path / "none"))("cobol", "x = 1") == ()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_semgrep() is None


@pytest.mark.skipif(not shutil.which("semgrep"), reason="semgrep is not installed here")
def test_the_real_one_finds_what_flows_through_variables():
    source = "import base64\nx = base64.b64decode('eA==')\ny = x\nexec(y)\n"
    assert [finding.rule for finding in find_semgrep()("python", source)] == ["obfuscated-exec"]
