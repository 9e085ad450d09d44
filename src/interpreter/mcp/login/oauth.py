"""Logging in to a server at an address: OAuth with PKCE, its servers found by their metadata."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from interpreter.mcp.errors import McpError
from interpreter.mcp.login.metadata import (
    AuthorizationServer,
    Metadata,
    check_address,
    find_authorization_server,
    find_resource,
    posted,
)
from interpreter.protocol.values import frozen

SOON = 60.0  # seconds before its end at which a token is renewed
OFFLINE = "offline_access"
CLIENT_NAME = "reploop"
_PARAMETER = re.compile(r'([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', re.IGNORECASE)

Browse = Callable[[str, str], Mapping[str, str]]
"""Shows the user an address; what comes back to the second one, which is ours."""


@frozen
class Registration:
    """Who we are to one authorization server."""

    client_id: str
    client_secret: str = ""
    method: str = "none"


@frozen
class LoginOptions:
    """How a login is done."""

    browse: Browse | None = None
    """None where nobody is there to log in: then tokens are only renewed."""
    redirect_uri: str = "http://127.0.0.1:0/callback"
    client_id: str = ""
    """Given to us by whoever runs the authorization server."""
    client_secret: str = ""
    metadata_url: str = ""
    """An address that describes us, for servers that look there."""


class Login:
    """The tokens for one server. `load` and `keep` are the store of keys."""

    def __init__(
        self,
        url: str,
        load: Callable[[], str],
        keep: Callable[[str], object],
        options: LoginOptions,
    ) -> None:
        self._url = url
        self._keep = keep
        self._options = options
        self._kept = _object(load())

    def headers(self) -> dict[str, str]:
        """What goes with each request."""
        token = self._kept.get("access_token")
        if isinstance(token, str) and token and self._kept.get("expires", 0) - SOON < time.time():
            self._renew()
            token = self._kept.get("access_token")
        return {"Authorization": f"Bearer {token}"} if token else {}

    def answer(self, challenge: str, status: int) -> bool:
        """The server wants a login, or more rights; whether it should be asked once more."""
        told = parse_challenge(challenge)
        needs_more = status == 403 and told.get("error") == "insufficient_scope"
        if status == 403 and not needs_more:
            return False
        if not needs_more and self._renew():
            return True
        if self._options.browse is None:
            return False
        self.log_in(told)
        return True

    def log_in(self, told: Mapping[str, str]) -> None:
        """Have the user log in; `told` is what the server said about it."""
        assert self._options.browse is not None, "somebody is there"
        with httpx.Client(timeout=30.0, follow_redirects=False) as client:
            resource = find_resource(client, self._url, told.get("resource_metadata", ""))
            server = find_authorization_server(client, resource.issuer, self._url)
            who = self._registration(client, server)
            scope = self._scope(told.get("scope", ""), resource, server)
            grant = self._granted(server, who, resource.resource, scope)
            self._take(client, server, who, grant, scope)

    # One after the other.

    def _scope(self, wanted: str, resource: Metadata, server: AuthorizationServer) -> str:
        scopes = wanted.split() or list(resource.scopes)
        before = str(self._kept.get("scope", "")).split()
        if before and self._kept.get("issuer") == server.issuer:
            scopes = [*before, *scopes]
        if OFFLINE in server.scopes and scopes:
            scopes.append(OFFLINE)
        return " ".join(dict.fromkeys(scopes))

    def _registration(self, client: httpx.Client, server: AuthorizationServer) -> Registration:
        given, known = self._options, self._kept.get("clients")
        if given.client_id:
            method = server.method if given.client_secret else "none"
            return Registration(given.client_id, given.client_secret, method)
        if given.metadata_url and server.reads_metadata:
            return Registration(given.metadata_url)
        entry = known.get(server.issuer) if isinstance(known, dict) else None
        if isinstance(entry, dict) and entry.get("redirect_uri") == given.redirect_uri:
            return Registration(entry["client_id"], entry["client_secret"], entry["method"])
        if not server.registration:
            raise McpError("The authorization server does not know us: add a `clientId`.")
        asked = {
            "client_name": CLIENT_NAME,
            "redirect_uris": [given.redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": server.method,
            "application_type": "native",
        }
        told = posted(client, server.registration, json=asked)
        who = Registration(
            str(told.get("client_id", "")),
            str(told.get("client_secret") or ""),
            str(told.get("token_endpoint_auth_method") or server.method),
        )
        entry = {"client_id": who.client_id, "client_secret": who.client_secret}
        entry |= {"method": who.method, "redirect_uri": given.redirect_uri}
        clients = known if isinstance(known, dict) else {}
        self._kept["clients"] = {**clients, server.issuer: entry}
        return who

    def _granted(
        self, server: AuthorizationServer, who: Registration, resource: str, scope: str
    ) -> dict[str, str]:
        """What the user's login is worth: the request for a token that it allows."""
        assert self._options.browse is not None, "somebody is there"
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        digest = hashlib.sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": who.client_id,
            "redirect_uri": self._options.redirect_uri,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "resource": resource,
            **({"scope": scope} if scope else {}),
        }
        sign = "&" if urlsplit(server.authorization).query else "?"
        back = self._options.browse(
            f"{server.authorization}{sign}{urlencode(asked)}", self._options.redirect_uri
        )
        if not secrets.compare_digest(back.get("state", ""), state):
            raise McpError("The answer to the login is not for us; nothing was sent.")
        issuer = back.get("iss")
        if (issuer is None and server.says_issuer) or (issuer and issuer != server.issuer):
            raise McpError("The answer to the login is not from whom it should be.")
        if "code" not in back:
            raise McpError(f"The login failed: {back.get('error', 'no code')[:200]}.")
        return {
            "grant_type": "authorization_code",
            "code": back["code"],
            "redirect_uri": self._options.redirect_uri,
            "code_verifier": verifier,
            "resource": resource,
        }

    def _renew(self) -> bool:
        """Renew the token without the user; whether that could be done."""
        kept = self._kept
        token, endpoint = kept.get("refresh_token"), kept.get("token_endpoint")
        if not isinstance(token, str) or not isinstance(endpoint, str):
            return False
        who = Registration(kept["client_id"], kept["client_secret"], kept["method"])
        grant = {
            "grant_type": "refresh_token",
            "refresh_token": token,
            "resource": kept["resource"],
        }
        del kept["refresh_token"]  # it is good for one try
        try:
            with httpx.Client(timeout=30.0, follow_redirects=False) as client:
                told = _token(client, endpoint, who, grant)
        except McpError:
            return False
        self._remember({"refresh_token": token, **told})
        return True

    def _take(
        self,
        client: httpx.Client,
        server: AuthorizationServer,
        who: Registration,
        grant: dict[str, str],
        scope: str,
    ) -> None:
        told = _token(client, server.token, who, grant)
        self._kept |= {
            "issuer": server.issuer,
            "token_endpoint": server.token,
            "client_id": who.client_id,
            "client_secret": who.client_secret,
            "method": who.method,
            "resource": grant["resource"],
            "scope": scope,
        }
        self._kept.pop("refresh_token", None)
        self._remember(told)

    def _remember(self, told: Mapping[str, Any]) -> None:
        lasts = told.get("expires_in")
        usual = lasts if isinstance(lasts, int | float) and not isinstance(lasts, bool) else 1e9
        self._kept["access_token"] = told["access_token"]
        self._kept["expires"] = time.time() + usual
        if isinstance(told.get("refresh_token"), str):
            self._kept["refresh_token"] = told["refresh_token"]
        self._keep(json.dumps(self._kept))


def wanted_login(url: str, headers: Mapping[str, str]) -> str | None:
    """What a server says to a stranger about logging in; None if it lets everybody in."""
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepted = {"Accept": "application/json, text/event-stream", **headers}
    try:
        with httpx.Client(timeout=30.0, follow_redirects=False) as client:
            response = client.post(url, json=ask, headers=accepted)
    except httpx.HTTPError as error:
        raise McpError(f"{url[:200]} cannot be reached: {str(error)[:200]}") from error
    return (
        response.headers.get("www-authenticate", "")[:4000] if response.status_code == 401 else None
    )


def parse_challenge(header: str) -> dict[str, str]:
    """The parameters of a WWW-Authenticate header of the kind that we understand."""
    kind, _, rest = header.strip().partition(" ")
    if kind.lower() != "bearer":
        return {}
    return {found[1].lower(): found[2] or found[3] or "" for found in _PARAMETER.finditer(rest)}


def _token(
    client: httpx.Client, endpoint: str, who: Registration, grant: Mapping[str, str]
) -> dict[str, Any]:
    check_address(endpoint)
    fields, headers = dict(grant), {}
    if who.method == "client_secret_basic" and who.client_secret:
        pair = f"{quote(who.client_id, safe='')}:{quote(who.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        fields["client_id"] = who.client_id
    if who.method == "client_secret_post":
        fields["client_secret"] = who.client_secret
    told = posted(client, endpoint, data=fields, headers=headers)
    if not isinstance(told.get("access_token"), str):
        raise McpError("The authorization server gave no token.")
    return told


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
