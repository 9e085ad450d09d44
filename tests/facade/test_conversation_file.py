"""The JSON file of a conversation: it always holds all messages, and growing it costs little."""

import json

import pytest

from interpreter.facade.compatible.conversation_file import ConversationFile


def said(number):
    return {"role": "user", "type": "message", "content": f'"{number}" ü \ud800'}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "a.json"


def held(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_what_is_new_is_added_to_the_same_file(path):
    file, messages = ConversationFile(), [said(1)]
    file.save(path, messages, 0)
    node = path.stat().st_ino
    for number in range(2, 6):
        messages.append(said(number))
        file.save(path, messages, 0)
        assert held(path) == messages
    assert path.stat().st_ino == node


def test_a_past_that_changed_is_written_anew(path):
    file, messages = ConversationFile(), [said(1), said(2)]
    file.save(path, messages, 0)
    messages[0] = said(3)
    file.save(path, messages, 1)
    assert held(path) == messages
    del messages[1]
    file.save(path, messages, 1)
    assert held(path) == messages


@pytest.mark.parametrize("trouble", ["[]", "nonsense", None])
def test_a_file_that_somebody_changed_is_written_anew(path, trouble):
    file, messages = ConversationFile(), [said(1)]
    file.save(path, messages, 0)
    path.unlink() if trouble is None else path.write_text(trouble)
    messages.append(said(2))
    file.save(path, messages, 0)
    assert held(path) == messages


def test_a_link_in_its_place_is_replaced_and_not_followed(path, tmp_path):
    file, messages = ConversationFile(), [said(1)]
    file.save(path, messages, 0)
    (tmp_path / "other").write_text("precious")
    path.unlink()
    path.symlink_to(tmp_path / "other")
    file.save(path, [said(1), said(2)], 0)
    assert (tmp_path / "other").read_text() == "precious"
    assert len(held(path)) == 2


def test_every_change_of_a_program_is_in_the_file_after_the_next_turn(play, tmp_path):
    kept = {"conversation_history_path": str(tmp_path), "conversation_filename": "a.json"}
    it = play("One.", "Two.", "Three.", "Four.", **kept)
    it.chat("first", display=False)
    it.messages[1]["content"] = "Uno."
    it.chat("second", display=False)
    assert held(tmp_path / "a.json") == it.messages
    it.messages = it.messages[2:]
    it.chat("third", display=False)
    assert held(tmp_path / "a.json") == it.messages
    it.reset()
    it.chat("fourth", display=False)
    assert (
        held(tmp_path / "a.json")
        == it.messages
        == [
            {"role": "user", "type": "message", "content": "fourth"},
            {"role": "assistant", "type": "message", "content": "Four."},
        ]
    )
