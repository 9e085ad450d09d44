"""A session becomes a file that others can read, and JSON comes back as it was."""

import json
import re

import pytest

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Reasoning,
    Text,
    user_says,
)
from interpreter.session.export.formats import (
    export_session,
    from_json,
    to_json,
    to_markdown,
    to_script,
)
from interpreter.session.export.notebook import to_notebook

PNG = b"\x89PNG\r\n\x1a\nnot really"


def ran(call_id, *parts, outcome="ok"):
    return Message("computer", (*parts, ActionResult(call_id, outcome)))


SESSION = (
    user_says("Add 2 and 3 <please>\nand ```fence```"),
    Message(
        "assistant", (Reasoning("hm"), Text("**Adding.**"), Code("python", "x = 2 + 3\nx", "1"))
    ),
    ran("1", Output("hi\n"), Display((Face("text/plain", "5"), Face("image/png", PNG)))),
    Message("assistant", (Code("python", "raise SystemError", "2"),)),
    ran("2", Output("Traceback", "stderr"), outcome="failed"),
    Message("assistant", (Code("shell", "echo $HOME", "3"),)),
    ran("3", Output("/root\n")),
    Message("assistant", (Code("python", "y = 1", "4"),)),
    ran("4", Code("python", "y = x * 2", "4")),
    Message("assistant", (Text("It is *five*."),)),
)


def test_json_comes_back_as_it_was():
    assert from_json(to_json(SESSION)) == SESSION


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"type":"Text","text":"x"}]', '{"a": 1}'])
def test_other_json_is_refused(text):
    with pytest.raises(ConfigurationError, match="not a session"):
        from_json(text)


def test_markdown_reads_like_the_conversation():
    text = to_markdown(SESSION)
    assert text.startswith(
        "> Add 2 and 3 &lt;please>\n> and ```fence```\n\n**Adding.**\n\n```python\n"
    )
    assert "```\nhi\n```" in text
    assert text.endswith("It is *five*.\n")


def test_a_fence_is_longer_than_any_inside():
    text = to_markdown([Message("assistant", (Code("markdown", "```\ncode\n```"),))])
    assert text == "````markdown\n```\ncode\n```\n````\n"


def test_the_page_needs_nothing_else_and_escapes_everything(tmp_path):
    export_session(SESSION, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "&lt;please&gt;" in page
    assert "<please>" not in page
    assert "data:image/png;base64," in page
    assert "<strong>Adding.</strong>" in page
    assert "http://" not in page
    assert "https://" not in page


def test_the_script_has_the_blocks_that_succeeded_as_they_ran(tmp_path):
    script = to_script(SESSION)
    assert "x = 2 + 3" in script
    assert "y = x * 2" in script
    assert "y = 1" not in script
    assert "SystemError" not in script
    assert "#   echo $HOME" in script
    space = {}
    exec(compile(script, "script", "exec"), space)
    assert space["y"] == 10


def test_the_notebook_is_valid_and_runs(tmp_path):
    import nbclient
    import nbformat

    path = tmp_path / "session.ipynb"
    export_session(SESSION, path)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells].count("code") == 3
    nbclient.NotebookClient(
        notebook, timeout=60, resources={"metadata": {"path": tmp_path}}
    ).execute()
    results = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any(output.get("data", {}).get("text/plain") == "5" for output in results)


def test_an_unknown_suffix_is_an_error(tmp_path):
    with pytest.raises(ConfigurationError, match=r"\.ipynb"):
        export_session(SESSION, tmp_path / "session.docx")


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="Cannot write"):
        export_session(SESSION, tmp_path / "file" / "session.md")


def test_a_directory_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(ConfigurationError, match=f"there is no directory {tmp_path}/new"):
        export_session(SESSION, tmp_path / "new" / "session.md")
    assert not (tmp_path / "new").exists()


def test_json_is_a_list_of_messages():
    assert [row["type"] for row in json.loads(to_json(SESSION))] == ["Message"] * len(SESSION)


@pytest.mark.parametrize("suffix", [".md", ".html", ".ipynb", ".py"])
def test_what_is_for_the_model_alone_is_not_for_readers(tmp_path, suffix):
    told = Message("user", (Text("a profile"),), audience="assistant")
    messages = (told, Message("user", (Text("a question"),)))
    export_session(messages, tmp_path / f"out{suffix}")
    written = (tmp_path / f"out{suffix}").read_text()
    assert ("a profile" in written, "a question" in written) == (False, True)
    export_session(messages, tmp_path / "out.json")
    assert from_json((tmp_path / "out.json").read_text()) == messages


HOSTILE_PAGE = "<script>alert(1)</script><img src=x onerror=alert(1)><b onclick=x>words</b>"
HOSTILE = (
    Message("user", (Text(f"{HOSTILE_PAGE}\u202e"),)),
    Message("assistant", (Text(f"a {HOSTILE_PAGE} ![x](http://x) [y](javascript:z)\n```\nopen"),)),
    Message(
        "assistant", (Code("py\n```\n<script>", f"x = 1\u202e\r\t# {HOSTILE_PAGE}\n````\n", "c"),)
    ),
    Message("assistant", (Code("python", "y = 1", "d"),)),
    Message(
        "computer",
        (
            Output(f"{HOSTILE_PAGE}\x1b]0;t\x07\n```\n"),
            Display((Face("text/html", HOSTILE_PAGE), Face("application/javascript", "alert(1)"))),
            Display((Face("text/markdown", HOSTILE_PAGE), Face("image/svg+xml", "<svg onload=x>"))),
            ActionResult("d", "ok", ""),
        ),
    ),
)


@pytest.mark.parametrize("suffix", [".md", ".html", ".ipynb"])
def test_nothing_in_an_export_runs_hides_or_is_fetched(suffix, tmp_path):
    export_session(HOSTILE, tmp_path / f"out{suffix}")
    text = (tmp_path / f"out{suffix}").read_text()
    assert not re.search("\u202e|\x1b|\\\\u001b|application/javascript|svg", text)
    if suffix == ".html":
        tags = set(re.findall(r"<(\w+)", text.partition("</style>")[2]))
        assert tags == {"p", "div", "pre", "br"}
        assert "default-src 'none'" in text
    if suffix == ".md":
        outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"<\w|!\[|[^\\]\]\(javascript", outside)
        assert "x = 1⟨U+202E⟩⟨U+000D⟩\t#" in text
    if suffix == ".ipynb":
        outputs = [one["data"] for one in _displays(json.loads(text))]
        assert outputs == [
            {"text/html": "<b>words</b>"},
            {"text/markdown": HOSTILE_PAGE.replace("<", "&lt;")},
        ]


def _displays(notebook):
    cells = (cell.get("outputs", []) for cell in notebook["cells"])
    return [one for outputs in cells for one in outputs if one["output_type"] == "display_data"]


def without_ids(*blocks):
    """The session of a model that has no tool calls: nothing but the order tells what is what."""
    messages = [user_says("go")]
    for source, printed, outcome in blocks:
        messages.append(Message("assistant", (Text("Next."), Code("python", source))))
        messages.append(ran("", Output(printed), outcome=outcome))
    return messages


BLOCKS = (("a = 1", "one\n", "ok"), ("1 / 0", "Traceback\n", "failed"), ("b = 2", "two\n", "ok"))


def cells_of(messages):
    notebook = json.loads(to_notebook(messages))
    return [
        (cell["source"], "".join(one.get("text", "") for one in cell["outputs"]))
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_without_ids_each_cell_has_the_output_of_its_own_block():
    assert cells_of(without_ids(*BLOCKS)) == [("a = 1", "one\n"), ("b = 2", "two\n")]


def test_without_ids_a_script_holds_every_block_that_succeeded_and_no_other():
    assert re.findall("(?m)^[a-z0-9].*", to_script(without_ids(*BLOCKS))) == ["a = 1", "b = 2"]


def test_ids_that_come_again_after_a_resume_do_not_mix_blocks_up():
    again = (
        Message("assistant", (Code("python", "z = 9", "1"),)),
        ran("1", Output("nine\n")),
        Message("assistant", (Code("python", "never = 1", "2"),)),
    )
    assert cells_of((*SESSION, *again))[0][1] == "hi\n"
    assert cells_of((*SESSION, *again))[-1] == ("z = 9", "nine\n")
    script = to_script((*SESSION, *again))
    assert "x = 2 + 3" in script
    assert "z = 9" in script
    assert "never" not in script


def test_the_same_block_proposed_twice_in_one_reply_has_two_results():
    block = Code("python", "print(1)")
    reply = Message("assistant", (block, Code("python", "print(1)"), Code("python", "never = 1")))
    messages = (reply, ran("", Output("first\n")), ran("", Output("second\n"), outcome="failed"))
    assert cells_of(messages) == [("print(1)", "first\n")]
    assert "never" not in to_script(messages)
