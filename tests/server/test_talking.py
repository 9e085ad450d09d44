"""A session over HTTP and WebSocket: the journey of a message, and all that can be answered."""

import base64
import json

from tests.server.conftest import ADD, Talk

SPIN = {"code": "n = 1\nprint('on', flush=True)\nwhile True: pass"}


def test_a_message_is_answered_in_numbered_events(talk):
    one = talk("Hello.")
    assert one.say("Hi.") == 1
    assert one.until()["end"] == "answered"
    assert [event["n"] for event in one.seen] == list(range(1, len(one.seen) + 1))
    assert one.seen[0]["type"] == "TurnStarted"
    assert {"type": "Text", "text": "Hi."} in one.seen[0]["message"]["parts"]
    info = one.get().json()
    assert (info["title"], info["state"], info["messages"]) == ("Hi.", "idle", 2)
    assert one.http.get("/api/sessions").json()["sessions"][0]["id"] == one.id


def test_code_is_approved(talk):
    one = talk(ADD, "It is 5.")
    one.say("Add.")
    asked = one.until("ApprovalRequested")
    assert one.get().json()["question"] == asked["n"]
    assert one.post("messages", text="more").status_code == 409
    assert one.post("decisions", question=asked["n"], answer="yes").status_code == 204
    again = one.post("decisions", question=asked["n"], answer="no")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "closed")
    assert one.until()["end"] == "answered"
    assert one.output() == "5\n"


def test_code_is_edited_before_it_runs(talk):
    one = talk(ADD, "Done.")
    one.say("Add.")
    asked = one.until("ApprovalRequested")
    one.post("decisions", question=asked["n"], answer="yes", source="print('edited')")
    one.until()
    assert one.output() == "edited\n"


def test_a_dry_run_shows_what_would_happen_and_takes_it_back(talk, tmp_path):
    one = talk({"code": "n = 5\nopen('a.txt', 'w').write('a')\nprint('done')"}, "I see.")
    one.say("go")
    asked = one.until("ApprovalRequested")
    assert one.post("decisions", question=asked["n"], answer="dry_run").status_code == 204
    again = one.until("ApprovalRequested")  # whether to keep what it did
    assert "done" in one.output()
    assert "FilesChanged" in [event["type"] for event in one.seen]
    one.post("decisions", question=again["n"], answer="no")
    one.until()
    assert not (tmp_path / "owner" / "a.txt").exists()


def test_code_is_declined_with_a_reason(talk):
    one = talk(ADD, "I see.")
    one.say("Add.")
    asked = one.until("ApprovalRequested")
    one.post("decisions", question=asked["n"], answer="no", reason="not today")
    assert one.until()["end"] == "answered"
    assert one.output() == ""
    assert "not today" in json.dumps(one.get("messages").json())


def test_a_block_that_asks_for_input(talk):
    one = talk({"code": "print(input('Name? ') + '!')"}, "Done.", auto_run=True)
    one.say("go")
    asked = one.until("InputRequested")
    assert one.post("decisions", question=asked["n"], answer="yes").status_code == 409
    assert one.post("input", question=asked["n"], text="Ada").status_code == 204
    one.until()
    assert "Ada!" in one.output()


def test_an_interrupt_stops_the_block(talk):
    one = talk(SPIN, "Done.", auto_run=True)
    one.say("go")
    one.until("OutputDelta")
    assert one.post("interrupt").status_code == 204
    assert one.until()["end"] == "interrupted"


def test_undo_redo_diff_and_checkpoints(talk, tmp_path):
    one = talk({"code": "open('a.txt', 'w').write('hello')"}, "Done.", auto_run=True)
    one.say("go")
    one.until()
    name = next(e["checkpoint"] for e in one.seen if e["type"] == "CheckpointTaken")
    assert "+hello" in one.get("diff", block=name).json()["diff"]
    assert one.get("checkpoints").json()["checkpoints"][0]["name"] == name
    assert one.post("undo", to=name).status_code == 200
    assert not (tmp_path / "owner" / "a.txt").exists()
    back = one.until("WentBack")
    assert len(one.get("messages").json()["messages"]) == back["messages"] == 1
    assert one.post("redo").status_code == 200
    assert (tmp_path / "owner" / "a.txt").read_text() == "hello"
    (tmp_path / "owner" / "a.txt").write_text("mine")
    refused = one.post("undo")
    assert refused.status_code == 409
    assert refused.json()["error"]["files"] == [str(tmp_path / "owner" / "a.txt")]
    assert one.post("undo", conflicts="overwrite").status_code == 200


def test_a_picture_arrives_as_a_name_and_is_fetched_in_ranges(talk):
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(200))).decode()
    one = talk("Nice.")
    image = {"media_type": "image/png", "data": png}
    assert one.post("messages", text="See.", images=[image]).status_code == 202
    one.until()
    display = one.seen[0]["message"]["parts"][1]
    digest = display["faces"][0]["data"]["kept"]
    whole = one.get(f"blobs/{digest}")
    assert whole.content == base64.b64decode(png)
    part = one.http.get(f"{one.path}/blobs/{digest}", headers={"range": "bytes=8-11"})
    assert (part.status_code, part.content) == (206, bytes(range(4)))
    assert one.get(f"blobs/{'0' * 64}").status_code == 404


def test_a_snapshot_and_what_comes_after_it_are_everything(talk):
    one = talk(ADD, "It is 5.")
    one.say("Add.")
    asked = one.until("ApprovalRequested")
    found = one.get("messages").json()
    assert len(found["messages"]) == 2
    late = Talk(one.running, session=one.id)
    late.seen.append({"n": found["n"], "type": ""})
    one.post("decisions", question=asked["n"], answer="yes")
    late.until()
    finished = [e["message"] for e in late.seen if e["type"] == "MessageFinished"]
    assert one.get("messages").json()["messages"] == found["messages"] + finished


def test_server_sent_events_are_the_same(talk):
    one = talk("Hello.")
    one.say("Hi.")
    one.until()
    lines = []
    with one.http.stream("GET", f"{one.path}/events", headers={"last-event-id": "1"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            lines.append(line)
            if "TurnFinished" in line:
                break
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert events == one.seen[1:]
    assert [int(line[4:]) for line in lines if line.startswith("id: ")] == [e["n"] for e in events]


def test_numbers_that_are_not_kept_mean_begin_again(talk):
    one = talk("Hello.")
    with one.socket(after=99) as socket:
        assert json.loads(socket.recv()) == {"n": 0, "type": "Reset"}


def test_exports(talk):
    one = talk(ADD, "It is 5.", auto_run=True)
    one.say("Add.")
    one.until()
    assert "<html" in one.get("export").text
    assert one.get("export", format="ipynb").json()["cells"]
    assert "print(x)" in one.get("export", format="markdown").text
    assert one.get("export", format="exe").status_code == 400


def test_settings_are_an_explicit_list(talk):
    one = talk("Hello.")
    assert one.http.patch(f"{one.path}/settings", json={"max_steps": 3}).json()["max_steps"] == 3
    assert one.get("settings").json()["max_steps"] == 3
    for wrong in ({"api_key": "x"}, {"env": ["A=b"]}, {"max_steps": "many"}):
        assert one.http.patch(f"{one.path}/settings", json=wrong).status_code == 400
    assert one.http.patch(f"{one.path}/settings", json={"approval": "x"}).status_code == 422


def test_a_try_is_compared_and_kept(talk, tmp_path):
    one = talk("Hello.")
    one.post("run", language="python", source="n = 1")
    one.until()
    made = one.post("fork")
    assert (made.status_code, made.json()["parent"]) == (201, one.id)
    child = Talk(one.running, session=made.json()["id"])
    child.post("run", language="python", source="n = 2\nopen('b.txt', 'w').write('b')")
    child.until()
    assert not (tmp_path / "owner" / "b.txt").exists()
    found = child.get("compare").json()
    assert "b.txt" in found["text"]
    assert found["variables"] == [{"name": "n", "change": "changed"}]
    assert found["files"] == [
        {"path": "b.txt", "change": "added", "size": found["files"][0]["size"]}
    ]
    assert [found["id"] for found in one.get("tries").json()["tries"]] == [child.id]
    kept = child.post("keep")
    assert kept.status_code == 200, kept.text
    assert (tmp_path / "owner" / "b.txt").exists()
    assert child.get().status_code == 404


def test_a_deleted_session_is_gone(talk):
    one = talk("Hello.")
    one.say("Hi.")
    one.until()
    with one.socket() as socket:
        assert one.http.delete(one.path).status_code == 204
        assert list(socket) == []  # whoever listens is told that nothing more comes
    assert one.get().status_code == 404
    assert one.http.get("/api/sessions").json() == {"sessions": []}
