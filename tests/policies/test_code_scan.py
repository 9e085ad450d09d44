"""What safe mode finds, measured on blocks that people labelled."""

import re
from pathlib import Path

import pytest

from interpreter.policies.scan.code_scan import can_scan, scan
from interpreter.protocol.actions import Finding

BLOCKS = Path(__file__).parent / "blocks"


def load(name):
    text = (BLOCKS / f"{name}.txt").read_text()
    found = re.findall(r"^### (.*)\n((?:(?!### ).*\n?)*)", text, re.MULTILINE)
    return [(head.split(), source.strip("\n")) for head, source in found]


DANGEROUS, HARMLESS = load("dangerous"), load("harmless")


def rules_found(language, source):
    return {finding.rule for finding in scan(language, source)}


def name_of(block):
    (language, *_), source = block
    return f"{language}: {source[:40]}"


@pytest.mark.parametrize("block", DANGEROUS, ids=name_of)
def test_a_dangerous_block_is_found_for_what_it_is(block):
    (language, rule), source = block
    assert rule in rules_found(language, source)


def test_harmless_blocks_are_left_alone_but_for_one_in_a_hundred():
    alarms = [source for (language,), source in HARMLESS if scan(language, source)]
    assert len(HARMLESS) >= 75
    assert len(alarms) / len(HARMLESS) <= 0.01, alarms


def test_blocks_that_nobody_looked_at_before_are_found_too():
    dangerous, harmless = load("unseen-dangerous"), load("unseen-harmless")
    found = [source for (language, _), source in dangerous if scan(language, source)]
    alarms = [source for (language,), source in harmless if scan(language, source)]
    assert len(found) / len(dangerous) >= 0.85
    assert len(alarms) / len(harmless) <= 0.03, alarms


def test_blocks_that_nothing_was_mended_for_are_mostly_found():
    dangerous, harmless = load("later-dangerous"), load("later-harmless")
    found = [source for (language, _), source in dangerous if scan(language, source)]
    alarms = [source for (language,), source in harmless if scan(language, source)]
    assert len(found) / len(dangerous) >= 0.8
    assert alarms == []


def test_blocks_of_a_third_hand_are_found_now():
    """The first run, before anything was mended, found 41 of 60, with 1 false alarm in 60."""
    dangerous, harmless = load("fresh-dangerous"), load("fresh-harmless")
    missed = [source for (language, _), source in dangerous if not scan(language, source)]
    alarms = [source for (language,), source in harmless if scan(language, source)]
    assert (len(dangerous), len(harmless)) == (60, 60)
    assert missed == []
    assert alarms == []


@pytest.mark.parametrize("name", ["varied", "heldout", "other", "last"])
def test_blocks_in_many_disguises_are_found(name):
    """Their first runs, before anything was mended with them, are in docs/rules.md."""
    dangerous, harmless = load(f"{name}-dangerous"), load(f"{name}-harmless")
    missed = [source for (language, _), source in dangerous if not scan(language, source)]
    alarms = [source for (language,), source in harmless if scan(language, source)]
    assert (missed, alarms) == ([], [])


def test_blocks_as_one_meets_them_are_found_at_first_sight():
    """Nothing was mended with these: 33 of 36 were found when they were first tried."""
    dangerous, harmless = load("plain-dangerous"), load("plain-harmless")
    found = [source for (language, _), source in dangerous if scan(language, source)]
    assert (len(found) >= 32, len(dangerous)) == (True, 36)
    assert [source for (language,), source in harmless if scan(language, source)] == []


def test_a_finding_names_the_line_and_the_reason():
    source = "import shutil\n\nshutil.rmtree('/home/ann')\n"
    assert scan("python", source) == (
        Finding(3, "destructive-delete", "rmtree removes '/home/ann'"),
    )


def test_names_of_languages_do_not_matter():
    assert rules_found("bash", "rm -rf ~") == rules_found("Shell", "rm -rf ~")
    assert rules_found("js", "eval(x)") == {"obfuscated-exec"}
    assert not can_scan("ruby")
    assert scan("ruby", "`rm -rf ~`") == ()


def test_code_in_code_in_code_is_found():
    python = """python3 -c 'import os; os.system("rm -rf ~")'"""
    source = f"import subprocess\nsubprocess.run(['bash', '-c', {python!r}])"
    assert "destructive-delete" in rules_found("python", source)


@pytest.mark.parametrize("language", ["python", "shell", "javascript"])
@pytest.mark.parametrize(
    "source",
    ["", "\0", "(" * 3000, "'" * 5000, "\ud800", "$(" * 500, "a" * 200_000, "`" * 999, "{" * 2000],
)
def test_nonsense_is_survived(language, source):
    scan(language, source)


def test_findings_are_bounded():
    assert len(scan("shell", "rm -rf ~\n" * 1000)) == 20
