"""Logging in through a browser to an authorization server, and the tokens afterwards."""

import base64
import hashlib
import http.server
import json
import threading
import urllib.request
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from interpreter.assembly.tool_servers.logins import kept_login, log_in, log_out
from interpreter.mcp.configuration import ToolServerConfig
from interpreter.mcp.errors import McpError
from interpreter.mcp.login.metadata import check_address
from interpreter.settings.keys import kept_keys


class Site:
    """A server that wants a login, and the authorization server it names, in one."""

    def __init__(self):
        self.tokens = {"access-1", "access-2"}
        self.asked = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                parts = urlsplit(self.path)
                site.get(self, parts.path, dict(parse_qsl(parts.query)))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                site.post(self, self.path, body)

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, request, found, status=200, **headers):
        body = json.dumps(found).encode()
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def get(self, request, path, given):
        if path == "/.well-known/oauth-protected-resource/mcp":
            found = {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]}
            self.reply(request, {**found, "scopes_supported": ["read"]})
        elif path == "/.well-known/oauth-authorization-server":
            self.reply(request, self.metadata())
        elif path == "/authorize":
            self.asked.append(given)
            back = {"code": "the-code", "state": given["state"], "iss": self.url}
            self.reply(request, {}, 302, location=f"{given['redirect_uri']}?{urlencode(back)}")
        else:
            self.reply(request, {}, 404)

    def metadata(self):
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def post(self, request, path, body):
        if path == "/register":
            self.reply(request, {"client_id": "client-1"}, 201)
        elif path == "/token":
            given = dict(parse_qsl(body.decode()))
            self.asked.append(given)
            number = 1 if given["grant_type"] == "authorization_code" else 2
            told = {"access_token": f"access-{number}", "token_type": "Bearer"}
            lasts = {"expires_in": 1 if number == 1 else 3600, "refresh_token": "refresh"}
            self.reply(request, {**told, **lasts})
        elif request.headers.get("authorization", "")[7:] in self.tokens:
            self.reply(request, {})
        else:
            self.reply(request, {}, 401, www_authenticate="Bearer")


@pytest.fixture
def site():
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


def open_browser(url):
    threading.Thread(target=lambda: urllib.request.urlopen(url).read(), daemon=True).start()


def test_a_login_is_done_in_the_browser_kept_renewed_and_forgotten(site):
    config = ToolServerConfig("far", url=f"{site.url}/mcp")
    assert log_in(config, open_browser)
    asked, token = site.asked
    assert (asked["client_id"], asked["scope"], asked["resource"]) == (
        "client-1",
        "read",
        f"{site.url}/mcp",
    )
    digest = hashlib.sha256(token["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert kept_login(config).headers() == {"Authorization": "Bearer access-2"}  # it was renewed
    assert site.asked[-1]["grant_type"] == "refresh_token"
    assert kept_login(config).headers() == {"Authorization": "Bearer access-2"}
    assert len(site.asked) == 3
    assert kept_keys() == {}  # no variable of a model's provider
    other = ToolServerConfig("far", url=f"{site.url}/other")
    assert kept_login(other).headers() == {}  # no other address is shown them
    assert log_out(config)
    assert kept_login(config).headers() == {}


def test_a_server_that_wants_no_login_gets_none(site):
    config = ToolServerConfig(
        "far", url=f"{site.url}/mcp", headers=(("Authorization", "Bearer access-1"),)
    )
    assert not log_in(config, open_browser)


def test_a_login_without_pkce_is_refused(site, monkeypatch):
    usual = site.metadata()
    monkeypatch.setattr(site, "metadata", lambda: {**usual, "code_challenge_methods_supported": []})
    with pytest.raises(McpError, match="PKCE"):
        log_in(ToolServerConfig("far", url=f"{site.url}/mcp"), open_browser)
    assert site.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/token",
        "https://169.254.169.254/latest",
        "https://10.0.0.1/token",
        "https://intranet/token",
        "https://user:secret@example.org/token",
        "file:///etc/passwd",
    ],
)
def test_a_login_goes_nowhere_else(url):
    with pytest.raises(McpError):
        check_address(url)
