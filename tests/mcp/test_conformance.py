"""The protocol's own suite: all of it against our server, and against our client a few scenarios, or
all with CONFORMANCE=all (one at a time, each with a program of its own)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).parent / "conformance_client.py"
SERVER = Path(__file__).parent / "conformance_server.py"
OLD, NEW = "2025-11-25", "2026-07-28"
ALWAYS = [
    ("initialize", OLD),
    ("sep-2322-client-request-state", NEW),
    ("http-custom-headers", NEW),
]
OTHERS = [
    ("tools_call", NEW),
    ("tools_call", OLD),
    ("elicitation-sep1034-client-defaults", OLD),
    ("sse-retry", OLD),
    ("request-metadata", NEW),
    ("http-standard-headers", NEW),
    ("http-invalid-tool-headers", NEW),
    ("json-schema-ref-no-deref", NEW),
]
LOGINS = [
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
]
NEW_LOGINS = [
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
]
ALWAYS += [("auth/iss-wrong-issuer", NEW)]
OTHERS += [(f"auth/{name}", OLD) for name in LOGINS]
OTHERS += [(f"auth/{name}", NEW) for name in (*LOGINS, *NEW_LOGINS)]
OTHERS = [one for one in OTHERS if one not in ALWAYS]
ALL = os.environ.get("CONFORMANCE") == "all"


@pytest.fixture
def suite(peers, tmp_path):
    """Run one part of the suite; its output."""
    node = peers / "node_modules" / ".bin" / "node"
    node = str(node) if node.exists() else shutil.which("node")
    if node is None:
        pytest.skip("the suite needs Node")
    program = peers / "node_modules/@modelcontextprotocol/conformance/dist/index.js"

    def run(*words):
        done = subprocess.run(
            [node, str(program), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize(("scenario", "version"), ALWAYS + (OTHERS if ALL else []))
def test_our_client_does_what_the_suite_requires(suite, scenario, version):
    status, told = suite(
        "client",
        *("--command", f"{sys.executable} {CLIENT}"),
        *("--scenario", scenario, "--spec-version", version, "--timeout", "60000"),
    )
    assert status == 0, told
    assert "OVERALL: PASSED" in told


@pytest.fixture(scope="module")
def server():
    """The address of our server with what the suite wants to call."""
    command = [sys.executable, str(SERVER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield f"http://localhost:{process.stdout.readline().strip()}/mcp"
        process.stdin.close()
        process.wait(20)


@pytest.mark.parametrize(("version", "count"), [(OLD, 30), (NEW, 37)])
def test_our_server_does_all_that_an_era_requires(suite, server, version, count):
    status, told = suite("server", "--url", server, "--requirements", version)
    assert status == 0, told
    required, _, others = told.partition("=== SUMMARY ===")[2].partition("Not scored")
    extra = [line.split()[1] for line in others.splitlines() if line.startswith("  ")]
    passed = [line.split()[1].rstrip(":") for line in required.splitlines() if line[:1] == "✓"]
    assert len(set(passed) - set(extra)) == count, told
