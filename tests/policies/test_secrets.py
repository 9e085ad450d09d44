"""Secrets do not get into what is stored, shown or sent."""

import os
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.policies.env_files import EnvFiles, secrets_in_files, settings_of
from interpreter.policies.places import is_secret
from interpreter.policies.secrets import Secrets

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


FRAGMENTS = (
    *("sk-", "ghp_", "github_pat_", "glpat-", "xoxb-", "AKIA", "AIza", "ya29.", "rk_live_", "hf_"),
    *("npm_", "pypi-AgE", "SG.", "eyJ", "://", ":", "@", "-----BEGIN ", "RSA ", "PRIVATE KEY-----"),
    *("-----END ", "-----", "a" * 16, "B2" * 8, "x" * 40, "ABCDEFGH12345678", "é", " ", "\n", "."),
    *("-", "_", "/", "correct-horse", "-battery", "blue moon ", "over", "first-line", "-of-it\n"),
    *(key[:size] for key in SHAPES for size in (len(key), len(key) - 1, len(key) // 2, 5)),
)
VALUES = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=4).map("".join)
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text("aA-_. :/@", max_size=4), max_size=40)


@settings(max_examples=400, deadline=None)
@given(st.lists(VALUES, max_size=5), TEXTS.map("".join), st.randoms(use_true_random=False))
def test_text_in_pieces_is_redacted_as_if_it_had_come_whole(values, text, chance):
    secrets = Secrets({f"A_TOKEN_{place}": value for place, value in enumerate(values)})
    stream, shown, at = secrets.stream(), [], 0
    while at < len(text):
        size = chance.choice((1, 2, 3, 7, 20, 100))
        shown.append(stream.feed(text[at : at + size]))
        at += size
    shown.append(stream.flush())
    assert "".join(shown) == secrets.redact(text)


@pytest.mark.parametrize("secret", [*SHAPES, *list(ENVIRONMENT.values())[:3]])
def test_a_secret_is_taken_out_wherever_it_is_cut(secret):
    text = f"so {secret} it is"
    for cut in range(len(text)):
        stream = SECRETS.stream()
        shown = stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.flush()
        assert shown == SECRETS.redact(text)


@pytest.mark.parametrize("start", ["", "sk-", "eyJ", "SG.", "https://", "correct-horse-batter"])
def test_text_without_an_end_does_not_wait_without_an_end(start):
    stream = SECRETS.stream()
    stream.feed(start)
    held = len(start) + sum(1000 - len(stream.feed("y" * 1000)) for _ in range(100))
    assert held <= 5000 or start == "sk-"  # which is a key, however long it is
    assert start != "sk-" or not stream.flush()


def test_a_private_key_without_an_end_hides_no_more_than_a_key_is_long():
    stream = SECRETS.stream()
    shown = stream.feed("-----BEGIN RSA PRIVATE KEY-----")
    shown += "".join(stream.feed("x" * 1000) for _ in range(100))
    assert shown.startswith("[secret: private key]xxx")
    assert len(shown + stream.flush()) == len("[secret: private key]") + 100_000 - 16_384


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
    assert dict(secrets_in_files(tmp_path)) == {
        "A_TOKEN": "first-value",
        "B_KEY": "second-value",
        "C_SECRET": "third-value",
    }
    assert secrets_in_files(tmp_path / "missing") == ()


WRITTEN = """\
# A_TOKEN=old-value-of-it
PLAIN=first-value # not for everybody
export SPACED = second-value
QUOTED="third value # with a mark"   # a comment
SINGLE='fourth "value"'
ESCAPED="fifth\\nvalue \\"x\\""
HASH=six#th-value
KEY_PEM="-----BEGIN
seventh-line
-----END"
EMPTY=
yaml_like: eighth-value
LAST=ninth-value"""


def test_env_files_are_read_as_those_read_them_who_load_them():
    assert dict(settings_of(WRITTEN)) == {
        "PLAIN": "first-value",
        "SPACED": "second-value",
        "QUOTED": "third value # with a mark",
        "SINGLE": 'fourth "value"',
        "ESCAPED": 'fifth\nvalue "x"',
        "HASH": "six#th-value",
        "KEY_PEM": "-----BEGIN\nseventh-line\n-----END",
        "yaml_like": "eighth-value",
        "LAST": "ninth-value",
    }


@pytest.mark.parametrize("name", [".env.production", ".env", "prod.env", ".env-ci", ".flaskenv"])
def test_env_files_are_found_wherever_they_are(tmp_path, name):
    (tmp_path / "services" / "web").mkdir(parents=True)
    (tmp_path / "node_modules" / "x").mkdir(parents=True)
    (tmp_path / "services" / "web" / name).write_text("A_TOKEN=inner-value # a comment")
    (tmp_path / ".env").touch()
    (tmp_path / "node_modules" / "x" / name).write_text("A_TOKEN=other-value")
    (tmp_path / "services" / ".env.example").write_text("A_TOKEN=your-token-here")
    found = secrets_in_files(tmp_path)
    assert found == (("A_TOKEN", "inner-value"),)
    assert Secrets({}, found).redact("it is inner-value") == "it is [secret A_TOKEN]"


def test_a_name_that_two_files_set_keeps_both_values(tmp_path):
    (tmp_path / ".env").write_text("A_TOKEN=first-value")
    (tmp_path / ".env.local").write_text("A_TOKEN=second-value")
    secrets = Secrets({}, secrets_in_files(tmp_path))
    assert secrets.redact("first-value second-value") == "[secret A_TOKEN] [secret A_TOKEN]"


NAMES = (
    *("PGPASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "SSHPASS", "SMTP_PASS", "DB_PASS", "MYPASSWORD"),
    *("AWS_SESSION_TOKEN", "AWS_SECRET_ACCESS_KEY", "SENTRY_DSN", "GOOGLE_CREDENTIALS", "GH_PAT"),
    *("AZURE_STORAGE_CONNECTION_STRING", "CONN_STR", "DJANGO_SECRET", "APIKEY", "OPENAI_APIKEY"),
    *("GITHUBTOKEN", "SLACK_WEBHOOK_URL", "MONGO_INITDB_ROOT_PASSWORD", "npm_config__authToken"),
)


@pytest.mark.parametrize("name", NAMES)
def test_variables_that_hold_secrets_are_known_by_their_names(name):
    assert Secrets({name: "swordfish-42"}).redact("swordfish-42") == f"[secret {name}]"


@pytest.mark.parametrize(
    "name", ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "MONKEY", "COMPASS", "KEYBOARD", "PGPASS_FILE"]
)
def test_variables_that_hold_places_and_words_are_not(name):
    assert Secrets({name: "/home/someone"}).redact("in /home/someone") == "in /home/someone"


@pytest.mark.parametrize(
    "value",
    [
        "postgres://ann:sword%40fish-42@db.example.org:5432/app",
        "redis://:sword%40fish-42@cache/0",
        "Server=db;User Id=ann;Password=sword%40fish-42;Encrypt=true",
        "host=db user=ann password=sword%40fish-42",
        "https://x.example.org/?user=a&token=sword%40fish-42",
    ],
)
def test_a_password_inside_of_an_address_is_known_alone_too(value):
    secrets = Secrets({"BACKEND": value})
    assert secrets.redact("sword%40fish-42") == "[secret BACKEND]"
    assert secrets.redact("it is sword@fish-42!") == "it is [secret BACKEND]!"
    assert "fish" not in secrets.redact(value)


def test_each_line_of_a_secret_is_one():
    secrets = Secrets({"TLS_KEY": "first-line-of-it\nsecond-line-of-it"})
    assert secrets.redact("see second-line-of-it") == "see [secret TLS_KEY]"


def test_what_looks_random_in_an_env_file_is_a_secret_whatever_it_is_called(tmp_path):
    random_value = "a8Fq0Zk2LmN4pQr6StUv"
    (tmp_path / ".env").write_text(
        f"STUFF={random_value}\nAPP_NAME=production\nHOST=db.example.org"
    )
    secrets = Secrets({}, secrets_in_files(tmp_path))
    text = f"{random_value} in production at db.example.org"
    assert secrets.redact(text) == "[secret STUFF] in production at db.example.org"


def test_a_directory_is_read_again_when_something_came_or_went(tmp_path):
    files = EnvFiles(tmp_path)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    assert files.secrets() == ()
    (tmp_path / "deep" / "er" / ".env").write_text("TOKEN=one\n")
    assert files.secrets() == (("TOKEN", "one"),)
    (tmp_path / "deep" / "er" / ".env").write_text("TOKEN=another\n")
    assert files.secrets() == (("TOKEN", "another"),)
    (tmp_path / "deep").rename(tmp_path / "node_modules")
    assert files.secrets() == ()
    (tmp_path / "node_modules").rename(tmp_path / "shallow")
    assert files.secrets() == (("TOKEN", "another"),)


def test_a_directory_that_has_just_changed_is_read_again(tmp_path, monkeypatch):
    """The clock of files may stand still for some milliseconds: a time alone does not tell."""
    read, scan, now = [], os.scandir, time.time_ns()
    monkeypatch.setattr(os, "scandir", lambda path: read.append(path) or scan(path))
    (tmp_path / "note").touch()
    files = EnvFiles(tmp_path)
    for _ in range(2):
        files.secrets()
    assert len(read) == 2
    monkeypatch.setattr(time, "time_ns", lambda: now + 10**10)
    for _ in range(2):
        files.secrets()
    assert len(read) == 3


def test_no_file_of_a_directory_is_pushed_out_by_others(tmp_path):
    for number in range(120):
        (tmp_path / f"!{number:03}.env").touch()
    (tmp_path / ".env").write_text("TOKEN=mine\n")
    assert secrets_in_files(tmp_path) == (("TOKEN", "mine"),)
