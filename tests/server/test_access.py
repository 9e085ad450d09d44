"""Who comes in and who does not: tokens, cookies, other pages, other names, other users."""

import json
import re
import threading

import httpx
import pytest
from tests.server.conftest import ADA, OWNER, Talk
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from interpreter.server.access.attempts import WrongTokens
from interpreter.server.access.tokens import add_user, load_tokens, remove_user
from interpreter.server.app import ENDPOINTS
from interpreter.server.config import Limits

SPIN = "print('on', flush=True)\nwhile True: pass"


@pytest.fixture
def running(serve, script):
    return serve(model=script("Hello.", repeat=True))


def test_nothing_of_the_protocol_is_there_without_a_token(running):
    client = running.client(token="")
    for endpoint in ENDPOINTS:
        if endpoint.path == "/api/login":
            continue
        path = endpoint.path.replace("{id}", "x").replace("{digest}", "y")
        answer = client.request(endpoint.method, path, json={})
        assert (endpoint.path, answer.status_code) == (endpoint.path, 401)
    assert client.get("/api/sessions/x/events").status_code == 401
    assert client.get("/api/openapi.json").status_code == 401
    with pytest.raises(InvalidStatus):
        connect(f"{running.url.replace('http', 'ws')}/api/sessions/x/socket")


def test_a_token_by_bearer_or_by_key(running):
    assert running.client().get("/api/me").json()["user"] == "owner"
    keyed = httpx.get(f"{running.url}/api/me", headers={"x-api-key": ADA})
    assert keyed.json()["user"] == "ada"


def test_the_page_signs_in_once_and_holds_a_cookie_that_no_script_reads(running):
    client = running.client(token="")
    answer = client.post("/api/login", json={"token": OWNER})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert OWNER not in cookie
    assert client.get("/api/me").json()["user"] == "owner"
    client.post("/api/logout")
    assert client.get("/api/me").status_code == 401


def test_a_forged_cookie_is_no_cookie(running):
    good = running.client(token="")
    good.post("/api/login", json={"token": ADA})
    [(name, value)] = good.cookies.items()
    for forged in (value.replace("ada.", "owner."), value[:-1], "owner.", "ada", "\udcff", "x.y"):
        header = f"{name}={forged}".encode(errors="surrogateescape")
        answer = httpx.get(f"{running.url}/api/me", headers={"cookie": header})
        assert answer.status_code == 401


def test_wrong_tokens_are_slowed_down(serve):
    running = serve(limits=Limits(wrong_tokens=3, free_memory=0))
    client = running.client(token="")
    signed_in = running.client(token="")
    signed_in.post("/api/login", json={"token": OWNER})
    wrong = [client.post("/api/login", json={"token": f"guess {n}"}).status_code for n in range(5)]
    assert wrong == [401, 401, 401, 429, 429]
    assert running.client(OWNER).get("/api/me").status_code == 429  # nothing is compared any more
    assert signed_in.get("/api/me").status_code == 200


def test_nobody_tries_tokens_under_the_names_of_others(serve):
    running = serve(limits=Limits(wrong_tokens=3, free_memory=0))
    found = [
        httpx.post(
            f"{running.url}/api/login",
            json={"token": "wrong"},
            headers={"x-forwarded-for": f"10.0.0.{n}"},
        ).status_code
        for n in range(5)
    ]
    assert found == [401, 401, 401, 429, 429]


def test_who_has_not_signed_in_sends_little(serve):
    running = serve()
    body = {"token": "x" * 100_000}
    assert httpx.post(f"{running.url}/api/login", json=body).status_code == 413
    pieces = (b" " * 10_000 for _ in range(100))
    kind = {"content-type": "application/json"}
    assert httpx.post(f"{running.url}/api/login", content=pieces, headers=kind).status_code == 413


def test_wrong_tokens_are_forgotten_after_a_minute():
    now = [0.0]
    wrong = WrongTokens(2, clock=lambda: now[0])
    wrong.add("a")
    wrong.add("a")
    assert wrong.blocked("a")
    assert not wrong.blocked("b")
    now[0] = 61.0
    assert not wrong.blocked("a")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost.evil.example"},
        {"host": "evil.example"},
        {"host": "localhost.evil.example:8000"},
        {"host": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},  # another port of this machine
    ],
)
def test_another_page_and_another_name_are_refused_with_the_right_token_too(running, headers):
    client = running.client()
    for method, path in (("GET", "/api/me"), ("POST", "/api/sessions"), ("POST", "/api/login")):
        answer = client.request(method, path, json={}, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"host": "evil.example"}])
def test_a_socket_from_another_page_is_refused(running, headers):
    session = running.client().post("/api/sessions", json={}).json()["id"]
    head = {"authorization": f"Bearer {OWNER}"}
    address = f"{running.url.replace('http', 'ws')}/api/sessions/{session}/socket"
    options = {"origin": headers["origin"]} if "origin" in headers else {}
    if "host" in headers:
        address, options = address.replace("127.0.0.1", "evil.example"), {}
        options["sock"] = __import__("socket").create_connection(("127.0.0.1", running.config.port))
    with pytest.raises(InvalidStatus):
        connect(address, additional_headers=head, **options)


def test_a_browser_that_asks_first_is_told_nothing(running):
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answer = httpx.options(f"{running.url}/api/sessions", headers=asked)
    assert answer.status_code == 403
    assert [name for name in answer.headers if name.startswith("access-control")] == []


def test_our_own_page_is_let_in(running):
    headers = {"origin": running.url, "sec-fetch-site": "same-origin"}
    assert running.client().get("/api/me", headers=headers).status_code == 200
    visit = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert httpx.get(running.url, headers=visit).status_code == 200


def test_bodies_have_a_limit_however_they_are_sent(serve):
    running = serve(limits=Limits(body=1000, upload=2000, free_memory=0))
    client = running.client()
    assert client.post("/api/sessions", content=b"x" * 1001).status_code == 413
    pieces = (b"x" * 100 for _ in range(50))
    headers = {"content-type": "application/json"}
    assert client.post("/api/sessions", content=pieces, headers=headers).status_code == 413
    session = client.post("/api/sessions", json={}).json()["id"]
    put = f"/api/sessions/{session}/file?path=a.bin"
    assert client.put(put, content=(b"x" * 100 for _ in range(50))).status_code == 413
    assert client.get(f"/api/sessions/{session}/files").json()["entries"] == []
    assert client.put(put, content=b"x" * 1500).status_code == 201


def test_a_form_of_another_page_is_not_understood(running):
    client = running.client()
    answer = client.post("/api/sessions", content=b"{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 400


def test_one_user_never_sees_another_ones_session(running):
    mine = Talk(running, token=OWNER)
    mine.say("a secret")
    mine.until()
    ada = running.client(ADA)
    assert ada.get("/api/sessions", params={"query": "secret"}).json() == {"sessions": []}
    listed = ada.get("/api/models").json()["choices"]
    assert [m["name"] for m in listed if m["source"] in ("default", "used")] == [
        running.config.settings.model
    ]
    for endpoint in ENDPOINTS:
        if "{id}" not in endpoint.path:
            continue
        path = endpoint.path.replace("{id}", mine.id).replace("{digest}", "0" * 64)
        body = {"question": 1, "answer": "yes", "text": "x", "language": "python", "source": "1"}
        known = (endpoint.body or {}).get("properties", {})
        body = {name: value for name, value in body.items() if name in known}
        answer = ada.request(endpoint.method, path, json=body, params={"path": "a", "name": "a"})
        assert (endpoint.path, answer.status_code) == (endpoint.path, 404)
    assert ada.get(f"/api/sessions/{mine.id}/events").status_code == 404
    stolen = Talk(running, token=ADA, session=mine.id)
    with pytest.raises(InvalidStatus), stolen.socket(after=0):
        pass
    assert mine.get().status_code == 200


def test_another_user_works_below_a_root_of_their_own_and_behind_walls(running, tmp_path):
    ada = running.client(ADA)
    made = ada.post("/api/sessions", json={"workspace": "work"}).json()
    assert made["directory"] == str(tmp_path / "ada" / "work")
    (tmp_path / "ada" / "way-out").symlink_to(tmp_path / "owner")
    for wrong in ("../owner", str(tmp_path / "owner"), "/", "way-out", "a\0b", "../ada-too"):
        assert ada.post("/api/sessions", json={"workspace": wrong}).status_code == 403
    for name, value in (
        ("auto_run", True), ("sandbox", "off"), ("api_base", "http://x"), ("approval", "never"),
    ):  # fmt: skip
        refused = ada.post("/api/sessions", json={"settings": {name: value}})
        assert (name, refused.status_code) == (name, 403)
        path = f"/api/sessions/{made['id']}/settings"
        assert ada.patch(path, json={name: value}).status_code == 403
        assert name not in ada.get(path).json()


def test_only_the_owner_goes_without_walls(serve):
    running = serve(sandbox="off")
    hers = running.client(ADA).post("/api/sessions", json={}).json()["id"]
    mine = running.client().post("/api/sessions", json={}).json()["id"]
    hub = running.server.hub
    assert (hub.settings(mine).sandbox, hub.settings(hers).sandbox) == ("off", "workspace")


def test_every_answer_has_the_headers_that_keep_a_browser_safe(running):
    for path in ("/", "/api/me", "/nothing", "/frame", "/assets/x.js"):
        headers = running.client().get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe-inline" not in headers["content-security-policy"] or path == "/frame"
    assert (
        "sandbox allow-scripts" in running.client().get("/frame").headers["content-security-policy"]
    )


def test_errors_tell_no_secret(running, capfd):
    httpx.get(f"{running.url}/api/me", headers={"authorization": "Bearer wrong-token-xyz"})
    httpx.get(f"{running.url}/api/me?token={OWNER}")
    written = capfd.readouterr()
    assert "wrong-token-xyz" not in written.out + written.err
    assert OWNER not in written.out + written.err


def test_many_guesses_at_once_are_counted(serve):
    running = serve(limits=Limits(wrong_tokens=5, free_memory=0))
    found = []

    def guess(n):
        with httpx.Client() as client:
            answer = client.post(f"{running.url}/api/login", content=json.dumps({"token": str(n)}),
                                 headers={"content-type": "application/json"})  # fmt: skip
            found.append(answer.status_code)

    threads = [threading.Thread(target=guess, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [401] * 5 + [429] * 15


def closed(socket):
    """The code that a socket is closed with, after all that it still says."""
    try:
        while True:
            socket.recv(timeout=30)
    except ConnectionClosed as gone:
        return gone.rcvd.code


def test_who_is_sent_away_is_out_at_once_with_all_that_they_have_at_work(serve, script, tmp_path):
    token = add_user("eve", tmp_path / "eve")
    running = serve(tokens=load_tokens(tmp_path / "owner"))
    eve = Talk(running, token)
    eve.post("run", language="python", source=SPIN)
    eve.until("OutputDelta")
    page = running.client(token="")
    assert page.post("/api/login", json={"token": token}).status_code == 204
    events = eve.http.stream("GET", f"{eve.path}/events")
    address = running.url.replace("http", "ws") + "/"
    with eve.socket() as socket, connect(address) as old, events as streamed:
        old.send(json.dumps({"auth": token}))
        assert json.loads(old.recv()) == {"auth": True}
        remove_user("eve")
        assert (closed(socket), closed(old)) == (4401, 4401)
        assert "OutputDelta" in streamed.read().decode()
    assert [one.get("/api/me").status_code for one in (eve.http, page)] == [401, 401]
    while running.server.hub.state(eve.id) != "parked":
        threading.Event().wait(0.01)
    again = add_user("eve", tmp_path / "eve")  # who is let in while it runs comes in, too
    assert running.client(token).get("/api/me").status_code == 401
    assert Talk(running, again, session=eve.id).get().json()["state"] == "parked"


def requests_of(running, session):
    """Every request and socket that the server knows, with somebody's session in every place."""
    for route in running.server.routes:
        filled = re.sub(r"{digest}", "0" * 64, route.path.replace("{id}", session))
        filled = re.sub(r"{name(:path)?}", session, filled)
        for method in sorted(getattr(route, "methods", {"SOCKET"}) - {"HEAD"}):
            yield route.path, method, filled


def heard(running, path):
    """The first that ada hears on a socket; None where there is none for her."""
    address = running.url.replace("http", "ws") + path
    try:
        with connect(address, additional_headers={"x-api-key": ADA}) as socket:
            socket.send(json.dumps({"auth": ADA}))
            return json.loads(socket.recv(timeout=30))
    except (InvalidStatus, ConnectionClosed):
        return None


def test_no_route_at_all_shows_a_user_what_is_another_ones(running, tmp_path):
    mine = Talk(running, workspace="private")
    mine.say("a treasure")
    mine.until()
    (tmp_path / "owner" / "private" / "treasure.txt").write_text("a treasure")
    old = running.client()
    old.post("/", json={"role": "user", "type": "message", "content": "a treasure"})
    ada = running.client(ADA)
    ada.headers.update({"x-session-id": mine.id, "mcp-session-id": mine.id})
    before = mine.get("messages").json()
    body = {
        "session": mine.id, "session_id": mine.id, "messages": [{"role": "user", "content": "hi"}],
        "input": "hi", "model": "reploop", "question": 1, "answer": "yes", "text": "x",
        "language": "python", "source": "1", "jsonrpc": "2.0", "id": 1, "method": "tools/list",
    }  # fmt: skip
    query = {"path": "treasure.txt", "name": "x", "session": mine.id, "query": "treasure"}
    tried = 0
    for path, method, filled in requests_of(running, mine.id):
        if path in ("/api/logout", "/api/login", "/v1/audio/speech"):
            continue
        if method == "SOCKET":
            assert heard(running, filled) in (None, {"auth": True}), path  # of a user's own
            continue
        known = next((e.body for e in ENDPOINTS if (e.path, e.method) == (path, method)), None)
        names = (known or {}).get("properties", body)
        given = {name: value for name, value in body.items() if name in names}
        answer = ada.request(method, filled, params=query, json=given)
        assert "treasure" not in answer.text.replace("treasure.txt", ""), (method, path)
        if "{id}" in path:
            assert answer.status_code == 404, (method, path)
        assert answer.status_code < 500, (method, path)
        tried += 1
    assert tried > 45
    assert mine.get("messages").json() == before
    assert mine.get().status_code == 200
