"""`interpreter serve` as its user meets it."""

import hashlib
import re
import shlex
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import uvicorn

from interpreter.protocol.errors import ConfigurationError
from interpreter.server import web_page
from interpreter.server.access.tokens import add_user, load_tokens, remove_user
from interpreter.server.certificates import fingerprint, own_certificate
from interpreter.server.command import run, split
from interpreter.settings.settings import Settings
from interpreter.terminal.arguments import parse

COMMAND = Path(sys.executable).parent / "interpreter"
PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")


def started(*arguments):
    process = subprocess.Popen(
        [COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = []
    while not lines or not lines[-1].startswith(("Open ", "interpreter:")):
        lines.append(process.stdout.readline())
        assert lines[-1], lines
    return process, lines


@pytest.fixture
def stop():
    processes = []
    yield processes.append
    for process in processes:
        process.terminate()
        process.wait()
        process.stdout.close()


def test_the_commands_of_the_page_are_understood():
    lines = [line for line in PAGE.splitlines() if line.startswith("interpreter serve")]
    assert len(lines) >= 5
    for line in lines:
        _, others = split(shlex.split(line, comments=True)[2:])
        parse(others)


def test_the_link_opens_the_page_signed_in_and_a_second_server_is_refused(stop, script):
    process, lines = started("serve", "--port", "0", "--model", script("Hello."))
    stop(process)
    link = re.fullmatch(r"Open (http://127\.0\.0\.1:\d+)/#token=(\S{30,})\n", lines[-1])
    url, token = link.groups()
    with httpx.Client(base_url=url) as client:
        assert "<html" in client.get("/").text
        assert client.post("/api/login", json={"token": token}).status_code == 204
        assert client.get("/api/me").json()["owner"] is True
    second, lines = started("--server", "--port", "0")
    stop(second)
    assert "running already" in lines[-1]


def test_that_the_page_is_not_built_is_said_at_the_start(monkeypatch, tmp_path):
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    monkeypatch.setattr(web_page, "BUILT", tmp_path)
    said = []
    run(split(["--port", "0"])[0], Settings(model="scripted/demo"), said.append)
    (tmp_path / "index.html").touch()
    run(split(["--port", "0"])[0], Settings(model="scripted/demo"), said.append)
    assert said[0].startswith("There is no page: `make page` in the checkout builds it.")
    assert [text.split()[0] for text in said] == ["There", "Open", "Open"]


def test_listening_elsewhere_is_warned_about_and_tls_is_told_by_its_fingerprint(stop, script):
    process, lines = started(
        "serve", "--host", "0.0.0.0", "--port", "0", "--tls", "--model", script("Hello.")
    )
    stop(process)
    told = re.search(r"SHA-256\): (([0-9A-F]{2}:){31}[0-9A-F]{2})", lines[0])[1]
    assert any("can run code on this machine" in line for line in lines)
    port = re.search(r"https://0\.0\.0\.0:(\d+)/", lines[-1])[1]
    shown = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", int(port))))
    assert hashlib.sha256(shown).hexdigest().upper() == told.replace(":", "")


def test_a_certificate_that_is_given_is_the_one_that_is_shown(stop, script, tmp_path):
    made, key = own_certificate("localhost")
    made.rename(tmp_path / "mine.crt")
    key.rename(tmp_path / "mine.key")
    process, lines = started(
        *("serve", "--host", "localhost", "--port", "0", "--model", script("Hello.")),
        *("--certificate", tmp_path / "mine.crt", "--key", tmp_path / "mine.key"),
    )
    stop(process)
    assert fingerprint(tmp_path / "mine.crt") in lines[0]
    url, token = re.fullmatch(r"Open (https://localhost:\d+)/#token=(\S+)\n", lines[-1]).groups()
    trusting = ssl.create_default_context(cafile=tmp_path / "mine.crt")
    with httpx.Client(base_url=url, verify=trusting) as client:
        answer = client.post("/api/login", json={"token": token})
        assert "secure" in answer.headers["set-cookie"].lower()
        assert client.get("/api/me").json()["owner"] is True


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--certificate", "/nothing.pem"], "There is no /nothing.pem"),
        (["--certificate", "/etc/hostname"], "cannot be used: both must be PEM"),
        (["--key", "mine.key"], "--key needs its --certificate."),
        (["--port", "99999"], "--port is 0 (any) to 65535."),
        (["--live", "0"], "--live is at least 1."),
        (["--idle", "-1"], "--idle is a number of seconds from 0 on."),
        (["--allow-host", "http://example.org"], "--allow-host is a name alone"),
        (["--workspace", "/nothing"], "There is no directory /nothing."),
        (["--host", "192.0.2.1"], "--host and --port name another place."),
        (["--remove-user", "eve"], "There is no user 'eve'; there is nobody but you."),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(words, sentence):
    options, _ = split(words)
    with pytest.raises(ConfigurationError) as refused:
        run(options, Settings(), print)
    assert sentence in str(refused.value)


def test_a_certificate_is_made_once_and_nobody_else_reads_its_key():
    certificate, key = own_certificate("127.0.0.1")
    assert key.stat().st_mode & 0o077 == 0
    assert own_certificate("127.0.0.1") == (certificate, key)
    assert len(fingerprint(certificate)) == 95
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)


def test_the_help_names_the_variables_that_count(capsys):
    with pytest.raises(SystemExit):
        split(["--help"])
    told = capsys.readouterr().out
    for name in ("HOST", "PORT", "API_KEY", "REQUIRE_ACKNOWLEDGE", "INSECURE_ROUTES"):
        assert f"INTERPRETER_{name}" in told


def test_users_are_added_and_removed_and_their_tokens_are_not_kept(own_home, tmp_path):
    token = add_user("ada", tmp_path / "ada")
    found = load_tokens(tmp_path).user(token)
    assert (found.name, found.root, found.is_owner) == ("ada", tmp_path / "ada", False)
    kept = [path.read_bytes() for path in own_home.rglob("*") if path.is_file()]
    assert not any(token.encode() in content for content in kept)
    for wrong in ("owner", "", "Ada Lovelace", "../x"):
        with pytest.raises(ConfigurationError):
            add_user(wrong, tmp_path)
    remove_user("ada")
    assert load_tokens(tmp_path).user(token) is None


def test_the_key_of_the_environment_is_the_owners(monkeypatch, tmp_path):
    made = load_tokens(tmp_path).owner_token
    assert load_tokens(tmp_path).owner_token == made
    monkeypatch.setenv("INTERPRETER_API_KEY", "of-the-environment")
    assert load_tokens(tmp_path).user("of-the-environment").is_owner
    assert load_tokens(tmp_path).user(made) is None
