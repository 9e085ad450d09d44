"""How a model says "run this", in every way we have seen."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.models.dialects.arguments import ArgumentsReader
from interpreter.models.dialects.calls import action_of
from interpreter.models.dialects.text_reply import TextReply
from interpreter.models.dialects.toolbox import Languages, toolbox_of
from interpreter.models.openai.stream import CallReader
from interpreter.protocol.events import ReasoningDelta
from interpreter.protocol.messages import ActionCall, Code, MalformedCall
from support.talking import EXECUTE, READ_FILE, actions_of, code_of, text_of

TOOLBOX = toolbox_of((EXECUTE, READ_FILE))
PRINT = Code("python", "print('hi')")
AS_JSON = '{"name": "execute", "arguments": {"language": "python", "code": "print(\'hi\')"}}'

REPLIES = {
    "a fence": ("Sure.\n```python\nprint('hi')\n```\nOutput: hi", [PRINT]),
    "a fence in one piece with prose": ("Ok ```` no\n```py\nprint('hi')\n```", [PRINT]),
    "tildes": ("~~~python\nprint('hi')\n~~~\n", [PRINT]),
    "an indented fence": ("1. Run\n   ```python\n   print('hi')\n   ```\n", [PRINT]),
    "a fence that is never closed": ("```python\nprint('hi')\n", [PRINT]),
    "a fence closed by a token": ("```python\nprint('hi')\n```<|im_end|>", [PRINT]),
    "a fence with attributes": ("```{.python .numbered}\nprint('hi')\n```\n", [PRINT]),
    "a fence without language": ("```\nprint('hi')\n```\n", [PRINT]),
    "a fence with its language in the next line": ("```\npython\nprint('hi')\n```\n", [PRINT]),
    "a shell fence without language": ("```\nls -la\n```\n", [Code("shell", "ls -la")]),
    "a longer fence": ("````python\ns = '''\n```\n'''\n````\n", [Code("python", "s = '''\n```\n'''")]),
    "a nested fence": (
        "```python\nreadme = '''\n```js\nx\n```\n'''\n```\nimagined",
        [Code("python", "readme = '''\n```js\nx\n```\n'''")],
    ),
    "an object of javascript": ('{language: "python", code: "print(\'hi\')"}', [PRINT]),
    "an object of javascript over lines": ("{\n  language: 'python',\n  code: `print('hi')`\n}", [PRINT]),
    "an object of javascript in a call": (
        "functions.execute({language: 'python', code: `print('hi')`})",
        [PRINT],
    ),
    "json as prose": (AS_JSON, [PRINT]),
    "json in the middle of a line": (f"I will run {AS_JSON} now", [PRINT]),
    "json spread over lines": (json.dumps(json.loads(AS_JSON), indent=2), [PRINT]),
    "json in a json fence": (f"```json\n{AS_JSON}\n```", [PRINT]),
    "a list of calls": (f"[{AS_JSON}, {AS_JSON}]", [PRINT, PRINT]),
    "arguments alone": ('{"language": "python", "code": "print(\'hi\')"}', [PRINT]),
    "arguments as a string": (
        json.dumps({"name": "execute", "arguments": json.dumps({"language": "python", "code": "1"})}),
        [Code("python", "1")],
    ),
    "parameters": (AS_JSON.replace("arguments", "parameters"), [PRINT]),
    "openai's own shape": ('{"type": "function", "function": ' + AS_JSON + "}", [PRINT]),
    "unescaped quotes": (
        '{"name": "execute", "arguments": {"language": "python", "code": "print("hi")"}}',
        [Code("python", 'print("hi")')],
    ),
    "a raw line break": ('{"language": "python", "code": "a = 1\nb = 2"}', [Code("python", "a = 1\nb = 2")]),
    "tags": (f"<tool_call>\n{AS_JSON}\n</tool_call>", [PRINT]),
    "tags that are never closed": (f"<tool_call>{AS_JSON}", [PRINT]),
    "two calls in tags": (
        f'<tool_call>{AS_JSON}</tool_call>\n<tool_call>{{"name":"read_file","arguments":{{}}}}</tool_call>',
        [PRINT, ActionCall("read_file", "{}")],
    ),
    "tags with parameters": (
        "<tool_call><function=execute><parameter=language>python</parameter>"
        "<parameter=code>\nprint('hi')\n</parameter></function></tool_call>",
        [PRINT],
    ),
    "a python tag": ("<|python_tag|>print('hi')<|eom_id|>", [PRINT]),
    "mistral's mark": (f"[TOOL_CALLS][{AS_JSON}]", [PRINT]),
    "a function call": ("functions.execute({'language': 'python', 'code': \"print('hi')\"})", [PRINT]),
    "keywords": ("execute(language='python', code=\"\"\"print('hi')\"\"\")\nhi", [PRINT]),
    "positions": ("execute('python', \"print('hi')\")", [PRINT]),
    "a doubled name": ("executeexecute" + '{"language": "python", "code": "print(\'hi\')"}', [PRINT]),
    "thinking first": (f"<think>```python\nno\n```</think>{AS_JSON}", [PRINT]),
    "plain words": ("The answer is 4. Use `ls` or ~x~ {x: 1} [1] <b>.", []),
    "other json": ('{"name": "Ada", "age": 3} is a record', []),
    "sample output": ("It prints:\n```text\nhello\n```\nDone.", []),
    "unmarked sample output": ("It prints:\n```\nhello world, you\n```\nDone.", []),
    "another language": ("In Rust:\n```rust\nfn main() {}\n```\n", []),
    "an empty fence": ("```python\n```\nDone.", []),
}  # fmt: skip


def read(text, cuts=(), *, cut_off=False):
    reply, events, start = TextReply(TOOLBOX), [], 0
    for cut in (*sorted(cuts), len(text)):
        events += reply.feed(text[start:cut])
        start = cut
    return events + reply.finish(cut_off=cut_off)


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_means_the_same_whole_and_letter_by_letter(reply):
    text, actions = REPLIES[reply]
    whole, letters = read(text), read(text, range(len(text)))
    assert actions_of(whole) == actions
    assert actions_of(letters) == actions
    assert text_of(letters) == text_of(whole)
    assert code_of(letters) == "".join(a.source for a in actions if isinstance(a, Code))


@given(st.sampled_from(sorted(REPLIES)), st.lists(st.integers(0, 200)))
def test_a_reply_means_the_same_however_it_is_cut(reply, cuts):
    text, actions = REPLIES[reply]
    assert actions_of(read(text, [min(cut, len(text)) for cut in cuts])) == actions


@given(st.text(alphabet="`~<>{}[]\"'\n\\ :,abfuncexit()_|/=3"), st.lists(st.integers(0, 80)))
def test_any_text_is_read_the_same_however_it_is_cut(text, cuts):
    whole, pieces = read(text), read(text, [min(cut, len(text)) for cut in cuts])
    assert actions_of(pieces) == actions_of(whole)
    assert text_of(pieces) == text_of(whole)


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1), st.lists(st.integers(0, 200)))
def test_code_in_a_fence_is_kept_to_the_letter(code, cuts):
    source = "\n".join(f"x{line}" for line in code.split("\n"))
    text = f"```python\n{source}\n```\nafter"
    [action] = actions_of(read(text, [min(cut, len(text)) for cut in cuts]))
    assert action == Code("python", source)


@given(
    st.dictionaries(st.sampled_from(["a", "language", "z"]), st.text() | st.integers()),
    st.text(),
    st.lists(st.integers(0, 200)),
    st.booleans(),
)
def test_code_in_arguments_is_kept_to_the_letter(others, code, cuts, ascii_only):
    arguments = {**others, "language": "python", "code": code}
    text = json.dumps(arguments, ensure_ascii=ascii_only)
    reader, start, pieces = CallReader(TOOLBOX), 0, []
    for cut in (*sorted(min(cut, len(text)) for cut in cuts), len(text)):
        pieces += reader.feed("a", 0, "execute", text[start:cut])
        start = cut
    pieces += reader.finish(cut_off=False)
    assert actions_of(pieces) == [Code("python", code, "a")]
    assert code_of(pieces) == code


def test_prose_and_thoughts_are_told_as_they_come():
    reply = TextReply(TOOLBOX)
    assert text_of(reply.feed("Hello wor")) == "Hello wor"
    assert reply.feed("<think>hm") == [ReasoningDelta("hm")]


@pytest.mark.parametrize("text", ["```python\nprint(1", AS_JSON[:-3], "<tool_call>{"])
def test_what_is_half_written_when_a_reply_is_cut_off_never_runs(text):
    [action] = actions_of(read(text, cut_off=True))
    assert isinstance(action, MalformedCall)


def test_a_whole_block_that_arrives_before_the_cut_runs():
    assert actions_of(read("```python\n1\n```\nand th", cut_off=True)) == [Code("python", "1")]


def test_half_a_character_is_replaced():
    reader = ArgumentsReader()
    assert reader.feed('{"language":"python","code":"\\ud83d') == ""
    assert reader.feed('\\ude00 \\ud83d"}') == "😀 \ufffd"


def test_languages_are_found_by_any_of_their_names():
    languages = Languages(["python", "bash"])
    assert [languages.find(n) for n in ("PY", "sh", "shell", "text", "")] == [
        "python", "bash", "bash", None, None,
    ]  # fmt: skip


def test_reading_takes_time_in_proportion_to_the_length():
    def seconds(size):
        text = json.dumps({"language": "python", "code": "x = 'text'\n" * (size // 12)})
        reader, start = ArgumentsReader(), time.process_time()
        for at in range(0, len(text), 4):
            reader.feed(text[at : at + 4])
        return time.process_time() - start

    seconds(10_000)
    assert seconds(800_000) < 40 * max(seconds(50_000), 0.01)


@pytest.mark.parametrize(
    "arguments",
    [
        {"language": "python", "code": "print('hi')executeexecute"},
        {"language": "python", "code": '{"language": "python", "code": "print(\'hi\')"}'},
        {
            "language": "python",
            "code": "functions.execute({language: 'python', code: `print('hi')`})",
        },
    ],
)
def test_what_is_wrapped_around_the_code_of_a_native_call_is_taken_off(arguments):
    assert action_of("execute", json.dumps(arguments), "", TOOLBOX) == PRINT


@pytest.mark.parametrize(
    "block",
    [
        "print('hi')executeexecute",
        "print('hi')\nexecuteexecute",
        "{'language': 'python', 'code': \"print('hi')\"}",
        'functions.execute({\n  "language": "python",\n  "code": "print(\'hi\')"\n})',
    ],
)
def test_what_is_wrapped_around_the_code_of_a_fence_is_taken_off(block):
    reply = TextReply(TOOLBOX)
    events = reply.feed(f"```python\n{block}\n```\n") + reply.finish(cut_off=False)
    assert actions_of(events) == [PRINT]
