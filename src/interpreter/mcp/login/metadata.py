"""Where a login goes: what a server and its authorization server say about themselves, checked."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from interpreter.mcp.errors import McpError
from interpreter.protocol.json.codec import bounded_json
from interpreter.protocol.values import frozen

LARGEST = 1 << 18
MOST_VALUES = 10_000
METHODS = ("none", "client_secret_basic", "client_secret_post")


@frozen
class Metadata:
    """What a server says about who may use it."""

    resource: str
    issuer: str
    scopes: tuple[str, ...]


@frozen
class AuthorizationServer:
    """Where a user logs in, and where tokens come from."""

    issuer: str
    authorization: str
    token: str
    registration: str
    scopes: tuple[str, ...]
    method: str
    says_issuer: bool
    reads_metadata: bool


def check_address(url: str) -> None:
    """Only https, or this machine; never the addresses of a network that is nobody's business."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    is_here = host == "localhost" or _is_loopback(host)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise McpError(f"A login goes over https only, not to {url[:200]}")
    if not is_here and _is_private(host):
        raise McpError(f"A login does not go into a private network: {url[:200]}")
    if parts.username or parts.password or parts.fragment:
        raise McpError("An address of a login has neither a name nor a fragment in it.")


def find_resource(client: httpx.Client, url: str, told: str) -> Metadata:
    """What a server says about itself, at the address that it told or where it usually is."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    known = f"{origin}/.well-known/oauth-protected-resource"
    places = [told] if told else [f"{known}{parts.path.rstrip('/')}", known]
    found = _first(client, places, "The server does not say where to log in.")
    resource = str(found.get("resource") or "")
    if not _covers(resource, url):
        raise McpError(f"The server says that it is {resource[:200]!r}, which it is not.")
    servers = found.get("authorization_servers")
    if not isinstance(servers, list) or not servers or not isinstance(servers[0], str):
        raise McpError("The server names no authorization server.")
    return Metadata(resource, servers[0], _texts(found.get("scopes_supported")))


def find_authorization_server(client: httpx.Client, issuer: str, url: str) -> AuthorizationServer:
    """An authorization server by its issuer; its own word for that must be the same."""
    check_address(issuer)
    if _is_here(issuer) and not _is_here(url):
        raise McpError("A server elsewhere must not send a login to this machine.")
    found = _first(
        client, list(_places(issuer)), "The authorization server says nothing of itself."
    )
    if found.get("issuer") != issuer:
        raise McpError("The authorization server says that it is another one.")
    if "S256" not in _texts(found.get("code_challenge_methods_supported")):
        raise McpError("The authorization server does not protect logins (PKCE with S256).")
    offered = _texts(found.get("token_endpoint_auth_methods_supported")) or METHODS[1:2]
    for name in ("authorization_endpoint", "token_endpoint"):
        check_address(str(found.get(name, "")))
    registration = str(found.get("registration_endpoint") or "")
    if registration:
        check_address(registration)
    return AuthorizationServer(
        issuer=issuer,
        authorization=str(found["authorization_endpoint"]),
        token=str(found["token_endpoint"]),
        registration=registration,
        scopes=_texts(found.get("scopes_supported")),
        method=next((one for one in METHODS if one in offered), "none"),
        says_issuer=found.get("authorization_response_iss_parameter_supported") is True,
        reads_metadata=found.get("client_id_metadata_document_supported") is True,
    )


def posted(client: httpx.Client, url: str, **what: Any) -> dict[str, Any]:
    """The answer to a post: a JSON object, or an error in words."""
    check_address(url)
    try:
        response = client.post(url, **what)
        body = response.content[:LARGEST]
    except httpx.HTTPError as error:
        raise McpError(f"{urlsplit(url).netloc} cannot be reached: {str(error)[:200]}") from error
    told = _object(body)
    if response.status_code >= 400:
        reason = str(told.get("error_description") or told.get("error") or response.status_code)
        raise McpError(f"{urlsplit(url).netloc} refused: {reason[:200]}")
    return told


def _places(issuer: str) -> Iterator[str]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    yield f"{origin}/.well-known/oauth-authorization-server{path}"
    yield f"{origin}/.well-known/openid-configuration{path}"
    if path:
        yield f"{origin}{path}/.well-known/openid-configuration"


def _first(client: httpx.Client, places: list[str], otherwise: str) -> Mapping[str, Any]:
    for place in places:
        check_address(place)
        try:
            response = client.get(place, headers={"Accept": "application/json"})
        except httpx.HTTPError:
            continue
        if response.status_code == 200 and (found := _object(response.content[:LARGEST])):
            return found
    raise McpError(otherwise)


def _covers(resource: str, url: str) -> bool:
    """Whether a token for the one may be shown to the other: the same, or above it."""
    mine, theirs = urlsplit(url), urlsplit(resource)
    same = (mine.scheme, mine.netloc.lower()) == (theirs.scheme.lower(), theirs.netloc.lower())
    path = theirs.path.rstrip("/")
    return same and (mine.path.rstrip("/") == path or mine.path.startswith(f"{path}/"))


def _is_here(url: str) -> bool:
    host = (urlsplit(url).hostname or "").lower()
    return host == "localhost" or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = bounded_json(body, MOST_VALUES)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
