"""Conversations as JSON files, named as Open Interpreter names them."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

from interpreter import lmc

FORBIDDEN = str.maketrans("", "", '<>:"/\\|?*!\n')


def file_name(messages: list[lmc.Dictionary]) -> str:
    """A name made of the first words and the time."""
    first = str(messages[0].get("content", "")) if messages else ""
    words = first[:25].split(" ")
    label = "_".join(words[:-1]) if len(words) > 1 else first[:15]
    return f"{label.translate(FORBIDDEN)}__{time.strftime('%B_%d_%Y_%H-%M-%S')}.json"


def save(path: Path, messages: list[lmc.Dictionary]) -> None:
    """Write all of it, or leave the file as it was; only the user may read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".json")  # 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(messages, file)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
