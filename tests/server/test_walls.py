"""The walls between users, and between sessions whose workspaces lie in one another."""

import importlib

import httpx
import pytest
from tests.server.conftest import ADA, Talk

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox


def by_hand(one, source):
    answer = one.post("run", language="python", source=source)
    assert answer.status_code == 202, answer.text


def swapped_for_a_link(one, target):
    """Code in the session above puts a link in the place of the directory `b`."""
    by_hand(one, f"import os; os.rmdir('b'); os.symlink({str(target)!r}, 'b'); print('swapped')")
    one.until()
    assert one.output() == "swapped\n"


def test_no_session_wakes_in_what_code_of_another_put_in_the_place_of_its_workspace(
    serve, tmp_path
):
    running = serve()
    (tmp_path / "home").mkdir()
    below = running.client().post("/api/sessions", json={"workspace": "b"}).json()["id"]
    swapped_for_a_link(Talk(running), tmp_path / "home")
    answer = Talk(running, session=below).post(
        "run", language="python", source="open('written', 'w').close()"
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert list((tmp_path / "home").iterdir()) == []


def after(monkeypatch, name, then):
    """Have something happen right after a function of ours has returned."""
    module, _, function = name.rpartition(".")
    real = getattr(importlib.import_module(module), function)

    def wrapped(*given, **more):
        found = real(*given, **more)
        then()
        return found

    monkeypatch.setattr(name, wrapped)


def test_a_workspace_that_is_swapped_while_its_session_wakes_is_not_followed(
    serve, tmp_path, monkeypatch
):
    moments = [
        "interpreter.server.hub.unmoved",
        "interpreter.assembly.cell.opener.given_variables",
        "interpreter.sandboxes.cell.view.mounts",
        "interpreter.sandboxes.backends.bubblewrap.found_in_workspace",
    ]
    running = serve()
    (tmp_path / "home").mkdir()
    for moment in moments:
        one = Talk(running, workspace="b")
        below = tmp_path / "owner" / "b"

        def swap(below=below):
            if not below.is_symlink():
                below.rmdir()
                below.symlink_to(tmp_path / "home")

        with monkeypatch.context() as patching:
            after(patching, moment, swap)
            answer = one.post("run", language="python", source="open('written', 'w').close()")
            if answer.status_code == 202:
                assert one.until()["end"] == "failed"
        assert below.is_symlink(), moment
        assert list((tmp_path / "home").iterdir()) == [], moment
        below.unlink()


def test_no_code_of_another_user_runs_where_there_are_no_walls(serve, tmp_path, monkeypatch):
    def missing(*given, **more):
        raise SandboxUnavailable("There is none here.")

    monkeypatch.setattr(BubblewrapSandbox, "open", missing)
    monkeypatch.setattr(LandlockSandbox, "open", missing)
    ada = Talk(serve(), ADA)
    ada.post("run", language="python", source="open('written', 'w').close()")
    assert ada.until()["end"] == "failed"
    assert list((tmp_path / "ada").iterdir()) == []


def test_a_workspace_that_nobody_may_enter_is_no_reason_to_go_without_walls(serve, tmp_path):
    one = Talk(serve(), workspace="b")
    shut = tmp_path / "owner" / "b"
    shut.chmod(0)
    by_hand(one, "print('ran')")
    end = one.until()
    shut.chmod(0o755)
    assert (end["end"], one.output()) == ("failed", "")
    assert "its permissions are d---------" in end["detail"]


def test_a_program_that_asks_once_gets_no_workspace_elsewhere_either(serve, script, tmp_path):
    running = serve(model=script("Hello."), auto_run=True)
    (tmp_path / "home").mkdir()
    (tmp_path / "ada").rmdir()
    (tmp_path / "ada").symlink_to(tmp_path / "home")
    body = {"messages": [{"role": "user", "content": "hello"}]}
    answer = httpx.post(f"{running.url}/v1/chat/completions", json=body, headers={"x-api-key": ADA})
    assert answer.status_code == 403


@pytest.mark.parametrize("answer", ["yes", "session", "always"])
def test_only_the_owner_lets_code_out_of_its_walls(serve, tmp_path, answer):
    running = serve()
    secret = tmp_path / "owner" / "secret.txt"
    secret.write_text("of the owner")
    ada = Talk(running, ADA)
    by_hand(ada, f"print(open({str(secret)!r}).read())")
    asked = ada.until("ApprovalRequested")
    assert str(secret) in asked["reason"]
    refused = ada.post("decisions", question=asked["n"], answer=answer)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    assert ada.post("decisions", question=asked["n"], answer="no").status_code == 204
    ada.until()
    by_hand(ada, f"print(open({str(secret)!r}).read())")
    again = ada.until("ApprovalRequested")
    ada.post("decisions", question=again["n"], answer="no")
    ada.until()
    assert "of the owner" not in ada.output()


def test_another_user_approves_code_within_walls(serve, script):
    running = serve(model=script({"text": "Adding.", "code": "print(2 + 3)"}, "Done."))
    ada = Talk(running, ADA)
    ada.say("add")
    asked = ada.until("ApprovalRequested")
    assert ada.post("decisions", question=asked["n"], answer="yes").status_code == 204
    ada.until()
    assert ada.output() == "5\n"


def test_only_the_owners_code_has_the_owners_skills_and_tools(serve, own_home):
    skill = own_home / ".agents" / "skills" / "mine"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: mine\ndescription: Of the owner\n---\nSecret way.\n"
    )
    running = serve()
    for one, found in ((Talk(running), "Secret way."), (Talk(running, ADA), "no skill")):
        by_hand(
            one,
            "try:\n    print(skills.read('mine'))\nexcept Exception as error:\n    print(error)",
        )
        one.until()
        assert found in one.output()
