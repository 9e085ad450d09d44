"""The files that a request names: those that are to be written, and those that are to stay."""

from __future__ import annotations

import re
from collections.abc import Iterable

TARGET = re.compile(
    r"\b(as|to|into|in|called|named|file|script|program|module) [\"'`]?"
    r"([\w./-]*\w\.(?:csv|tsv|txt|md|json|jsonl|ya?ml|toml|xml|html?|xlsx?|ods|parquet|feather|pdf"
    r"|docx?|pptx?|png|jpe?g|gif|svg|webp|py|js|ts|sh|sql|ini|cfg|conf|log|ics|tex|db|sqlite3?|zip"
    r"|tar|gz|r|rb|go|rs|java|c|h|cpp|css|ipynb|bak|old|copy))\b(?![./-]\w)",
    re.IGNORECASE,
)
TO_A_VALUE = re.compile(  # "change the link to b.html" names no file to write
    r"\b(?:chang|set|updat|replac|switch|point|edit|redirect)\w*\b"
    r"(?:(?!\b(?:cop|export|mov|put|sav|stor|writ)\w*)(?:[^.?!\n]|\.\w))*\Z",
    re.IGNORECASE,
)
WHOLE = (  # files, and not something of them
    r"(?:\W+(?:the|any|any of|my|our|your|this|that|these|those|all|either|both|existing|given"
    r"|input|source|raw|old|original(?= \w)|contents? of))*\W+(?:(?:originals?|it|them|anything)\b"
    r"(?!['’]s|\W+(?!(?:and|but|in any|in the|at|or|when|while|afterwards)\b)\w)"
    r"|(?:files?|folders?|inputs?|tables?|documents?|photos?|pictures?)\b"
    r"(?! (?:but|except|besides|names?))|[\w./-]*\w\.[a-z]\w{1,4}\b(?!['’]s))"
)
UNTOUCHED = re.compile(
    rf"\b(?:do not|don't|dont|never|without) (?:chang\w+|modify\w*|overwrit\w+|touch\w*"
    rf"|alter\w*|edit\w*)\b{WHOLE}|\bkeep the originals?\b"
    rf"|\bleave\b{WHOLE}.{{0,20}}\b(?:as (?:it|they) (?:is|are)|unchanged|alone|untouched)\b",
    re.IGNORECASE,
)
NEAR = 200  # characters before a name that tell what it is
FILE_NOT_WRITTEN = """\
The request names the file {names}, and it was not written. Write the whole ```python block again \
so that it writes that file."""
CHANGED = "\n\n(Careful: {names} was to stay as it was, and was changed. Undo brings it back.)"


def not_written(request: str, changes: Iterable[str], target: str = "") -> str:
    """The names of files that a request wants written, `target` above all, and no block wrote."""
    words, _, known = request.partition("\n\n")
    there = [change.partition(" ")[2] for change in changes]
    named = (found[2] for found in TARGET.finditer(words) if not _is_a_value(words, found))
    wanted = dict.fromkeys((*filter(None, (target,)), *named))
    missing = [
        name
        for name in wanted
        if not any(path.endswith(name.removeprefix("./")) for path in there)
        and not re.search(rf"^{re.escape(name.rpartition('/')[2])}[: ]", known, re.MULTILINE)
    ]
    return ", ".join(missing)


def _is_a_value(words: str, found: re.Match[str]) -> bool:
    before = words[max(0, found.start() - NEAR) : found.start()]
    return found[1].lower() == "to" and bool(TO_A_VALUE.search(before))


def changed_originals(request: str, changes: Iterable[str]) -> str:
    """The files that a request wants left as they are, and that were changed nevertheless."""
    words = request.partition("\n\n")[0]
    if not UNTOUCHED.search(words):
        return ""
    done = (change.partition(" ")[::2] for change in changes)
    return ", ".join(path for kind, path in done if kind != "added")
