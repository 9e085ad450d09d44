"""Which values of a table a request names: those rows are most likely the ones that are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from interpreter.protocol.changed_files import shown

WORD = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*")
WITH_SUFFIX = re.compile(r"[\w./\\-]+\.\w{2,8}\b")
EITHER = re.compile(r"\byes ?(?:or|/|and) ?no\b", re.IGNORECASE)  # how to answer, not a value
LONGEST_VALUE = 4  # words
LOOKED_AT = 4_000  # characters of a request
NAMED = 4  # columns
SPELLINGS = 4
LINE = "Named in the request: column {column!r} has {values} ({rows} rows)"
COMMON = frozenset(
    WORD.findall("""
    all an and any are as at average be both but by can column columns count csv data date day
    days do each few file files find first for from get give had has have how if in into is
    its json last list many max maximum mean median min minimum month more most much name new
    no none not number of off old on one only or other our out per rows same see show sum
    table than that the their them then there they this to total type unknown use value values
    was week were what when where which who why with year you your
""")
)
"""Words that are values of many tables and parts of many requests, and mean nothing by that."""


def named_texts(request: str, columns: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A line for each column with a value that a request names, however it is spelt there."""
    words = EITHER.sub(" ", WITH_SUFFIX.sub(" ", request[:LOOKED_AT]))
    said, exactly = set(_phrases(words)), set(WORD.findall(words))
    names = {word_key(name) for name in columns}
    lines = []
    for column, texts in columns.items():
        found: dict[str, dict[str, int]] = {}
        for text, count in texts.items():
            key = word_key(text)
            short = len(text) < 3 and text not in exactly  # "IT" is a department, "it" is a word
            alone = f"{word_key(column)} {key}" not in said  # sample B
            short = short or (len(text) == 1 and alone)
            if key in said and key not in names and key not in COMMON and not short:
                found.setdefault(key, {})[text] = count
        for spelt in found.values():
            values = ", ".join(repr(shown(text)) for text in list(spelt)[:SPELLINGS])
            rows = sum(spelt.values())
            lines.append(LINE.format(column=shown(column), values=values, rows=rows))
    return lines[:NAMED]


def _phrases(text: str) -> Iterator[str]:
    """Every few words in a row, in the form in which values are compared."""
    found = WORD.findall(text.casefold())
    for at in range(len(found)):
        for length in range(1, LONGEST_VALUE + 1):
            yield word_key(" ".join(found[at : at + length]))


def word_key(text: str) -> str:
    """A value without its case, marks, and the ending of a plural."""
    words = WORD.findall(text.casefold().replace("_", " "))
    last = words[-1].removesuffix("'s").removesuffix("’s") if words else ""
    for ending, singular in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh")):
        if last.endswith(ending) and len(last) > len(ending) + 1:
            last = last.removesuffix(ending) + singular
            break
    else:
        if last.endswith("s") and not last.endswith("ss") and len(last) > 3:
            last = last[:-1]
    return " ".join((*words[:-1], last))
