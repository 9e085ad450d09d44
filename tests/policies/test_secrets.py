"""Secrets do not get into what is stored, shown or sent."""

import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.policies.places import is_secret
from interpreter.policies.secrets import Secrets, secrets_in_files

ENVIRONMENT = {
    "OPENAI_API_KEY": "correct-horse-battery",
    "DB_PASSWORD": "hunter2hunter2",
    "WIFI_PASSPHRASE": "blue moon blue moon over",
    "MY_TOKEN": "short",
    "HOME": "/home/someone",
    "MONKEY": "not-a-secret-value",
}
SECRETS = Secrets(ENVIRONMENT)
SHAPES = [
    "sk-proj-" + "aB3" * 12,
    "sk-ant-api03-" + "x" * 40,
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a" * 60,
    "glpat-" + "x" * 20,
    "xoxb-123456789012-abcdef",
    "AKIA" + "ABCDEFGH12345678",
    "AIza" + "x" * 35,
    "hf_" + "a" * 34,
    "sk_live_" + "a" * 24,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijkl",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef\n-----END OPENSSH PRIVATE KEY-----",
]


def test_values_of_secret_variables_are_called_by_their_names():
    text = "key=correct-horse-battery, pw hunter2hunter2!"
    assert SECRETS.redact(text) == "key=[secret OPENAI_API_KEY], pw [secret DB_PASSWORD]!"


def test_other_variables_and_short_values_stay():
    text = "/home/someone not-a-secret-value short"
    assert SECRETS.redact(text) == text


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_shaped_like_a_key_is_taken_out(shape):
    redacted = SECRETS.redact(f"before {shape} after")
    assert redacted.startswith("before [secret: ")
    assert redacted.endswith("] after")


def test_a_password_in_an_address_is_taken_out():
    text = "postgres://ann:s3cretpw@db.example.org/app"
    assert SECRETS.redact(text) == "postgres://[secret: password in an address]@db.example.org/app"


@pytest.mark.parametrize(
    "text",
    [
        "the skeleton-key and task-list-with-many-words",
        "https://example.org:8080/path?x=1",
        "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
        "eyJust a sentence",
    ],
)
def test_ordinary_text_stays(text):
    assert SECRETS.redact(text) == text


@pytest.mark.parametrize("secret", [*SHAPES, *list(ENVIRONMENT.values())[:3]])
@pytest.mark.parametrize("seed", range(5))
def test_a_secret_that_arrives_in_pieces_is_taken_out_all_the_same(secret, seed):
    text = f"so {secret} it is\nand {secret}"
    chance = random.Random(seed)
    stream, shown, at = SECRETS.stream(), "", 0
    while at < len(text):
        size = chance.randint(1, 9)
        shown += stream.feed(text[at : at + size])
        at += size
    shown += stream.flush()
    assert secret not in shown
    assert shown == SECRETS.redact(text)


@given(st.lists(st.text(max_size=30), max_size=20))
def test_a_stream_loses_nothing(pieces):
    stream = Secrets({}).stream()
    shown = "".join(map(stream.feed, pieces)) + stream.flush()
    assert "secret" in shown or shown == "".join(pieces)


def test_waiting_is_bounded():
    stream = SECRETS.stream()
    stream.feed("-----BEGIN RSA PRIVATE KEY-----")
    shown = "".join(stream.feed("x" * 1000) for _ in range(100))
    assert shown


@pytest.mark.parametrize("path", [".env", "app/.env.local", "/home/u/.ssh/id_rsa", ".netrc"])
def test_files_with_secrets_are_known(path):
    assert is_secret(path)


@pytest.mark.parametrize("path", [".env.example", "environment.py", "src/main.py", "id_rsa.pub"])
def test_other_files_are_not(path):
    assert not is_secret(path)


def test_what_the_workspace_keeps_in_env_files_is_known(tmp_path):
    (tmp_path / ".env").write_text("# mine\nexport A_TOKEN='first-value'\nB_KEY = second-value \n")
    (tmp_path / ".env.local").write_text('C_SECRET="third-value"')
    (tmp_path / ".env.example").write_text("D_SECRET=not-a-secret")
    (tmp_path / ".env.link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / ".env.pipe")
    assert secrets_in_files(tmp_path) == {
        "A_TOKEN": "first-value",
        "B_KEY": "second-value",
        "C_SECRET": "third-value",
    }
    assert secrets_in_files(tmp_path / "missing") == {}
