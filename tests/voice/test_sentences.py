import pytest

from interpreter.voice.languages import language_of
from interpreter.voice.sentences import Sentences, sentences

ANSWER = """## Result
The mean of `unit_price` in **sales_2024.csv** is 3.14, e.g. above 100. See [the docs](http://x.y/z).

```python
print("This is never read.")
```
| a | b |
|---|---|
- First item
~~~
nor this.
~~~
Bye"""
SAID = [
    "Result",
    "The mean of unit price in sales 2024 dot csv is 3.14,",
    "e.g. above 100.",
    "See the docs.",
    "First item",
    "Bye",
]


def test_sentences_are_read_and_code_is_not():
    assert " ".join(sentences(ANSWER)) == " ".join(SAID)


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_pieces_of_any_size_give_the_same_sentences(size):
    stream, found = Sentences(), []
    for at in range(0, len(ANSWER), size):
        found += stream.add(ANSWER[at : at + size])
    assert [*found, *stream.close()] == list(sentences(ANSWER))


def test_a_sentence_is_there_as_soon_as_it_ends():
    stream = Sentences()
    assert list(stream.add("It is five. The ne")) == ["It is five."]


def test_a_block_that_never_ends_is_not_read():
    assert list(sentences("Look:\n```python\nprint(1)\nprint(2)")) == ["Look:"]


def test_long_sentences_are_cut_at_pauses_and_nothing_is_lost():
    text = ", ".join(["one part of it"] * 60) + "."
    parts = list(sentences(text))
    assert " ".join(parts) == text
    assert max(map(len, parts)) <= 180
    assert len(parts[0]) <= 70


def test_a_beginning_that_somebody_waits_for_is_short():
    text = "Read the file sales dot csv and show the first ten rows. Then stop."
    assert list(sentences(text)) == [
        "Read the file sales dot csv,",
        "and show the first ten rows.",
        "Then stop.",
    ]
    text = "The mean of the column unit price is four point two."
    assert list(sentences(text)) == ["The mean of the column unit price,", "is four point two."]


def test_a_sentence_without_a_pause_is_said_in_one_go():
    text = "It is here. Read the file sales dot csv and show the first ten rows."
    assert list(sentences(text)) == [text[:11], text[12:]]
    assert list(sentences("Show the first ten rows.")) == ["Show the first ten rows."]


def test_a_word_without_end_is_cut():
    assert "".join(sentences("a" * 1000)) == "a" * 1000


@pytest.mark.parametrize(("text", "language"), [
    ("The file has ten rows.", "en"),
    ("Die Datei hat zehn Zeilen und ist nicht leer.", "de"),
    ("El archivo tiene diez filas y no es grande.", "es"),
    ("Le fichier a dix lignes et il est vide.", "fr"),
    ("Файл содержит десять строк.", "ru"),
    ("ファイルは十行です。", "ja"),
    ("文件有十行。", "zh"),
    ("sales_2024.csv", "en"),
    ("", "en"),
])  # fmt: skip
def test_the_language_of_a_text_is_told(text, language):
    assert language_of(text) == language
