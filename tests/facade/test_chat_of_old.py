"""chat(), wait(), reset() and messages, as Open Interpreter documents them."""

import asyncio
import json
import threading

import pytest

from interpreter import OpenInterpreter
from interpreter.protocol.errors import ConfigurationError, ScriptEnded

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}
EDIT = {"code": "print('as proposed')"}


def user(text):
    return {"role": "user", "type": "message", "content": text}


def says(text):
    return {"role": "assistant", "type": "message", "content": text}


def code(source, language="python"):
    return {"role": "assistant", "type": "code", "format": language, "content": source}


def console(text):
    return {"role": "computer", "type": "console", "format": "output", "content": text}


def chunks_of(interpreter, message="go"):
    return list(interpreter.chat(message, display=False, stream=True))


def without_content(chunks):
    return [{k: v for k, v in chunk.items() if k != "content"} for chunk in chunks]


# Messages.


def test_the_messages_of_a_turn(play):
    it = play(ADD, "It is 5.", auto_run=True)
    new = it.chat("What is 2 + 3?", display=False)
    assert new == [
        *(says("Adding."), code("x = 2 + 3\nprint(x)")),
        *(console("5\n"), says("It is 5.")),
    ]
    assert it.messages == [user("What is 2 + 3?"), *new]


def test_a_block_that_prints_nothing_leaves_an_empty_console_message(play):
    it = play({"code": "x = 1"}, "Done.", auto_run=True)
    assert it.chat("go", display=False)[1] == console("")


def test_a_last_expression_is_shown_without_a_line_end(play):
    assert play().computer.run("python", "20 + 2") == [
        {"type": "console", "format": "output", "content": "22"}
    ]


def test_an_exception_is_output_for_the_model(play):
    it = play({"code": "1 / 0"}, "Oh.", auto_run=True)
    assert "ZeroDivisionError" in it.chat("go", display=False)[1]["content"]


def test_a_dictionary_is_added_and_its_role_is_the_users(play):
    it = play("One.", "Two.")
    it.chat("first", display=False)
    it.chat({"content": "second", "type": "message"}, display=False)
    assert it.messages == [user("first"), says("One."), user("second"), says("Two.")]


def test_a_list_replaces_the_history(play):
    it = play("One.", "Two.")
    it.chat("first", display=False)
    assert it.chat([user("anew")], display=False) == [says("Two.")]
    assert it.messages == [user("anew"), says("Two.")]


def test_a_file_message_stays_what_it_is(play):
    it = play("Nice file.")
    file = {"role": "user", "type": "file", "format": "path", "content": "/tmp/data.csv"}
    it.chat(file, display=False)
    assert it.messages[0] == file


def test_a_message_that_names_a_file_is_there_once(play, tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    it = play("Two columns.", "As I said.", workspace=str(tmp_path))
    assert it.chat("What is in data.csv?", display=False) == [says("Two columns.")]
    it.chat("Really, in data.csv?", display=False)
    assert it.messages == [
        *(user("What is in data.csv?"), says("Two columns.")),
        *(user("Really, in data.csv?"), says("As I said.")),
    ]


def test_messages_can_be_appended_sliced_deleted_and_assigned(play):
    it = play("One.", "Two.", "Three.")
    it.chat("first", display=False)
    it.messages.append(user("by the way"))
    it.chat("second", display=False)
    it.messages = it.messages[:2]
    del it.messages[0]
    it.chat("third", display=False)
    assert it.messages == [says("One."), user("third"), says("Three.")]


def test_a_message_can_be_changed_in_place(play):
    it = play("One.", "Two.")
    it.chat("first", display=False)
    it.messages[1]["content"] = "Uno."
    it.chat("second", display=False)
    assert it.messages == [user("first"), says("Uno."), user("second"), says("Two.")]


def test_the_model_sees_messages_as_the_program_left_them(play):
    seen = []

    def completions(**request):
        seen.append([m["content"] for m in request["messages"] if m["role"] == "user"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play()
    it.llm.completions = completions
    it.chat("first", display=False)
    it.messages[0]["content"] = "changed"
    it.messages.append(user("added"))
    it.chat("last", display=False)
    assert seen == [["first"], ["changed", "added\n\nlast"]]


def test_long_output_keeps_its_end(play):
    it = play({"code": "print('a' * 5000 + 'end')"}, "Done.", auto_run=True, max_output=100)
    output = it.chat("go", display=False)[1]["content"]
    assert output.endswith("a" * 96 + "end\n")
    assert "100 of 5004 characters" in output.splitlines()[0]


def test_what_is_streamed_is_not_cut(play):
    it = play({"code": "print('a' * 5000)"}, "Done.", auto_run=True, max_output=100)
    streamed = [c["content"] for c in chunks_of(it) if c.get("format") == "output"]
    assert "".join(streamed) == "a" * 5000 + "\n"


# Chunks.


def test_the_chunks_of_a_turn_in_order(play):
    it = play(ADD, "It is 5.")
    chunks = chunks_of(it)
    flags = [chunk for chunk in chunks if "content" not in chunk]
    message = {"role": "assistant", "type": "message"}
    block = {"role": "assistant", "type": "code", "format": "python"}
    printed = {"role": "computer", "type": "console"}
    assert flags == [
        *({**message, "start": True}, {**message, "end": True}),
        *({**block, "start": True}, {**block, "end": True}),
        *({**printed, "start": True}, {**printed, "end": True}),
        *({**message, "start": True}, {**message, "end": True}),
    ]
    confirmation = next(chunk for chunk in chunks if chunk["type"] == "confirmation")
    assert confirmation == {
        "role": "computer",
        "type": "confirmation",
        "format": "execution",
        "content": {"type": "code", "format": "python", "content": "x = 2 + 3\nprint(x)"},
    }
    assert chunks.index(confirmation) == chunks.index({**block, "end": True}) + 1


def test_active_lines_come_while_code_runs_and_end_with_none(play):
    chunks = chunks_of(play(ADD, "5.", auto_run=True))
    lines = [c["content"] for c in chunks if c.get("format") == "active_line"]
    assert lines[-1] is None
    assert all(isinstance(line, int) for line in lines[:-1])


def test_contents_make_up_the_messages(play):
    it = play(ADD, "It is 5.", auto_run=True)
    chunks = [c for c in chunks_of(it) if "content" in c and c.get("format") != "active_line"]
    for kind in ("message", "code", "console"):
        streamed = "".join(c["content"] for c in chunks if c["type"] == kind)
        stored = "".join(m["content"] for m in it.messages[1:] if m["type"] == kind)
        assert streamed == stored


def test_no_chunk_is_empty(play):
    chunks = chunks_of(play(ADD, {"code": "y = 1"}, "Done.", auto_run=True))
    assert all(chunk["content"] != "" for chunk in chunks if "content" in chunk)


def test_ephemeral_kinds_are_never_stored(play):
    it = play(ADD, "It is 5.")
    chunks_of(it)
    assert {m["type"] for m in it.messages} == {"message", "code", "console"}
    assert {m.get("format") for m in it.messages} == {None, "python", "output"}


def test_auto_run_sends_no_confirmation(play):
    chunks = chunks_of(play(ADD, "It is 5.", auto_run=True))
    assert not [chunk for chunk in chunks if chunk["type"] == "confirmation"]


def test_a_picture_is_a_chunk_and_a_message(play):
    source = """
from IPython.display import Image, display
display(Image(data=bytes.fromhex("89504e470d0a1a0a"), format="png"))"""
    it = play({"code": source}, "A picture.", auto_run=True)
    pictures = [c for c in chunks_of(it) if c["type"] == "image"]
    assert without_content(pictures)[0] == {
        **{"role": "computer", "type": "image", "format": "base64.png", "start": True}
    }
    stored = [m for m in it.messages if m["type"] == "image"]
    assert [m["content"] for m in stored] == ["iVBORw0KGgo="]


def test_html_goes_to_the_user_and_its_text_to_the_model(play):
    source = "from IPython.display import HTML\nHTML('<b>bold</b>')"
    it = play({"code": source}, "Bold.", auto_run=True)
    it.chat("go", display=False)
    html = {"role": "computer", "type": "code", "format": "html", "content": "<b>bold</b>"}
    assert {**html, "recipient": "user"} in it.messages
    assert it.messages[-1] == says("Bold.")


# Confirmation and stopping.


def test_going_on_past_the_confirmation_runs_the_code(play):
    it = play(ADD, "It is 5.")
    chunks_of(it)
    assert it.messages[-2:] == [console("5\n"), says("It is 5.")]


def test_leaving_at_the_confirmation_keeps_the_code_for_a_later_call(play):
    it = play(ADD, "It is 5.")
    for chunk in it.chat("go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    assert it.messages[-1] == code("x = 2 + 3\nprint(x)")
    list(it._respond_and_store())
    assert it.messages[-2:] == [console("5\n"), says("It is 5.")]


def test_a_list_that_ends_with_code_runs_it(play):
    it = play("It is 7.", auto_run=True)
    new = it.chat([user("go"), code("print(3 + 4)")], display=False)
    assert new == [console("7\n"), says("It is 7.")]


def test_html_from_the_computer_is_never_taken_for_code(play):
    it = play("Nice.", auto_run=True)
    html = {"role": "computer", "type": "code", "format": "html", "content": "<b>x</b>"}
    assert it.chat([user("go"), code("1"), console(""), html], display=False) == [says("Nice.")]


def test_code_can_be_changed_at_the_confirmation(play):
    it = play(EDIT, "Done.")
    for chunk in it.chat("go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            it.messages[-1]["content"] = "print('as edited')"
    assert it.messages[-2:] == [console("as edited\n"), says("Done.")]
    assert it.messages[1] == code("print('as edited')")


def test_breaking_during_execution_stops_the_code_and_keeps_its_state(play):
    loop = {"code": "n = 41\nprint('on', flush=True)\nwhile True: pass"}
    it = play(loop, "Done.", auto_run=True)
    for chunk in it.chat("go", display=False, stream=True):
        if chunk.get("format") == "output":
            break
    assert it.responding is False
    assert it.messages[-1]["content"].startswith("on\n")
    assert it.computer.run("python", "print(n)")[0]["content"] == "41\n"


def test_stop_ends_the_running_code(play):
    it = play()
    chunks = it.computer.run("python", "print('on', flush=True)\nwhile True: pass", stream=True)
    assert [next(chunks)["content"], next(chunks)["content"]] == [1, "on\n"]
    it.computer.stop()
    rest = "".join(str(chunk["content"]) for chunk in chunks)
    assert "KeyboardInterrupt" in rest
    assert it.computer.run("python", "print('alive')")[0]["content"] == "alive\n"


def test_nothing_runs_when_nobody_can_approve(play):
    it = play(ADD)
    assert it.chat("go", display=False) == [says("Adding."), code("x = 2 + 3\nprint(x)")]


# Ways to call it.


def test_no_message_and_no_display_is_an_error(play):
    with pytest.raises(ConfigurationError, match="needs a message"):
        play("x").chat(display=False)


def test_an_empty_message_without_display_is_a_message(play):
    it = play("Hm?")
    assert it.chat("", display=False) == [says("Hm?")]


def test_chat_in_the_background_and_wait(play):
    it = play(ADD, "It is 5.", auto_run=True)
    assert it.chat("go", display=False, blocking=False) is None
    assert it.wait()[-1] == says("It is 5.")
    assert it.responding is False


def test_what_goes_wrong_in_the_background_is_raised_by_wait(play):
    it = play()
    it.chat("go", display=False, blocking=False)
    with pytest.raises(ScriptEnded):
        it.wait()


def test_responding_tells_whether_a_turn_is_on(play):
    it = play("One.")
    chunks = it.chat("go", display=False, stream=True)
    next(chunks)
    assert it.responding is True
    list(chunks)
    assert it.responding is False
    assert it.wait() == [says("One.")]


def test_a_stream_that_was_left_does_not_block_the_next_chat(play):
    it = play("One is long enough to be streamed in pieces.", "Two.")
    left = it.chat("go", display=False, stream=True)
    next(left)
    next(left)
    assert it.chat("again", display=False) == [says("Two.")]
    assert list(left) == []


def test_what_was_said_to_a_stream_that_nobody_read_is_not_lost(play):
    seen = []

    def completions(**request):
        seen.append([m["content"] for m in request["messages"] if m["role"] == "user"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play()
    it.llm.completions = completions
    it.chat("never read", display=False, stream=True)
    it.chat("second", display=False)
    assert "never read" in str(seen[0])
    assert it.messages == [user("never read"), user("second"), says("Yes.")]


def test_an_error_of_the_model_is_raised_and_the_chat_goes_on(play):
    it = play("One.")
    it.chat("first", display=False)
    with pytest.raises(ScriptEnded):
        it.chat("second", display=False)
    assert it.messages[-1] == user("second")


def test_it_works_inside_a_running_event_loop(play):
    it = play(ADD, "It is 5.", auto_run=True)

    async def inside():
        return it.chat("go", display=False)

    assert asyncio.run(inside())[-1] == says("It is 5.")


def test_interpreters_in_threads_do_not_disturb_each_other(play, tmp_path):
    results = {}

    def work(number):
        path = tmp_path / f"{number}.yaml"
        path.write_text(json.dumps([{"code": f"print({number})"}, f"{number}."]))
        it = OpenInterpreter(auto_run=True)
        it.llm.model = f"scripted/{path}"
        results[number] = it.chat("go", display=False)[1:]
        it.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {n: [console(f"{n}\n"), says(f"{n}.")] for n in range(3)}


def test_interpreters_without_history_work_side_by_side_in_one_place(play, tmp_path):
    code = {"code": "open('x.txt', 'a').write('x')"}
    options = {"auto_run": True, "conversation_history": False, "workspace": str(tmp_path)}
    one, other = (play(code, "ok", **options) for _ in range(2))
    one.chat("go", display=False)
    other.chat("go", display=False)
    assert one.computer.run("python", "open('x.txt').read()")[0]["content"] == "'xx'"
    assert (len(one.checkpoints), len(other.checkpoints)) == (1, 1)


def test_a_second_thread_that_talks_meanwhile_is_told_so_and_disturbs_nothing(play):
    first, over = threading.Event(), threading.Event()

    def completions(messages, **more):
        first.set()
        assert over.wait(60)
        yield {"choices": [{"delta": {"content": "Here."}}]}

    it = play()
    it.llm.completions = completions
    it.chat("one", display=False, blocking=False)
    assert first.wait(60)
    with pytest.raises(ConfigurationError, match="in the middle of a turn"):
        it.chat("two", display=False)
    over.set()
    assert [message["content"] for message in it.wait()] == ["Here."]


def test_reset_forgets_everything(play):
    it = play("One.", "Two.")
    it.chat("first", display=False)
    it.computer.run("python", "kept = 1")
    it.reset()
    assert it.messages == []
    assert "NameError" in it.computer.run("python", "kept")[0]["content"]
    it.chat("second", display=False)
    assert it.messages == [user("second"), says("Two.")]


def test_with_a_display_the_answer_is_shown_and_returned(play, capsys):
    it = play("Shown.")
    assert it.chat("go") == [says("Shown.")]
    assert "Shown." in capsys.readouterr().out


def test_with_a_display_and_nobody_there_nothing_runs(play, capsys):
    it = play(ADD)
    it.chat("go")
    assert [m["content"] for m in it.messages if m["type"] == "console"] != ["5\n"]


# Settings that change a turn.


def test_loop_goes_on_until_a_breaker_is_said(play):
    it = play("Working.", ADD, "Nearly.", "The task is done.", "never", auto_run=True, loop=True)
    new = it.chat("go", display=False)
    assert [m["content"] for m in new if m["type"] == "message"] == [
        *("Working.", "Adding.", "Nearly.", "The task is done.")
    ]
    assert [m for m in it.messages if m["role"] == "user"] == [user("go")]


def test_the_loop_message_is_said_to_the_model_and_never_kept(play):
    seen = []

    def completions(**request):
        seen.append(request["messages"][-1]["content"])
        done = "The task is done." if len(seen) == 2 else "Well."
        yield {"choices": [{"delta": {"content": done}}]}

    it = play(loop=True, loop_message="Go on!")
    it.llm.completions = completions
    it.chat("go", display=False)
    assert seen == ["go", "Go on!"]
    assert "Go on!" not in [m["content"] for m in it.messages]


def test_breakers_of_ones_own(play):
    it = play("Working.", "Fertig.", "never", loop=True, loop_breakers=["Fertig"])
    it.chat("go", display=False)
    assert it.messages[-1] == says("Fertig.")


def test_conversations_are_saved_as_json(play, tmp_path):
    it = play("One.", "Two.", conversation_history_path=str(tmp_path / "kept"))
    it.chat("Tell me about zebras please", display=False)
    saved = tmp_path / "kept" / it.conversation_filename
    assert json.loads(saved.read_text()) == it.messages
    assert it.conversation_filename.startswith("Tell_me_about_zebras__")
    it.chat("more", display=False)
    assert json.loads(saved.read_text()) == it.messages
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
    assert saved.stat().st_mode & 0o077 == 0


def test_a_conversation_is_saved_when_it_is_broken_off(play, tmp_path):
    it = play(ADD, conversation_history_path=str(tmp_path), conversation_filename="mine.json")
    for chunk in it.chat("go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    assert json.loads((tmp_path / "mine.json").read_text()) == it.messages


def test_without_history_nothing_is_saved(play, tmp_path):
    path = tmp_path / "kept"
    it = play("One.", conversation_history=False, conversation_history_path=str(path))
    it.chat("hi", display=False)
    assert not path.exists()


def test_code_in_the_system_message_is_replaced_by_what_it_prints(play):
    seen = []

    def completions(**request):
        seen.append(request["messages"][0]["content"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play(system_message="It is {{ print(6 * 7) }}.", custom_instructions="Keep {{ this }}.")
    it.llm.completions = completions
    it.chat("hi", display=False)
    assert seen[0].startswith("It is 42.")
    assert "Keep {{ this }}." in seen[0]


def test_code_in_the_system_message_of_a_profile_is_only_text(play, tmp_path):
    seen = []

    def completions(**request):
        seen.append(request["messages"][0]["content"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    profile = tmp_path / "profile.yaml"
    profile.write_text("system_message: It is {{ print(6 * 7) }}.\n")
    it = play()
    it.use_profile(str(profile))
    it.llm.completions = completions
    it.chat("hi", display=False)
    it.runs_templates = True
    it.chat("hi", display=False)
    assert seen[0].startswith("It is {{ print(6 * 7) }}.")
    assert seen[1].startswith("It is 42.")
