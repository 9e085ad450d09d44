"""A model's file from Hugging Face, or any server that keeps files as it does."""

from __future__ import annotations

from pathlib import Path

import httpx

from interpreter.models.embedded.catalogue import CatalogueFile
from interpreter.models.embedded.download_parts import DownloadFailed, NoAnswer, Progress

TRIES = 4  # in a row that bring nothing new
TIMEOUT = httpx.Timeout(30, connect=10)
PIECE = 1 << 20


def from_hub(model: CatalogueFile, hub: str, part: Path, progress: Progress) -> str:
    """Download into `part`, going on where it ends; the SHA-256 that the server states."""
    if not model.huggingface:
        raise DownloadFailed("it is not there.")
    url = f"{hub}/{model.huggingface}/resolve/main/{model.path or model.file}"
    with httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client:
        try:
            stated = _stated_hash(client, url)
            _all_of_it(client, url, part, progress)
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise NoAnswer(f"no answer from {hub}: {reason}.") from error
    return stated


def _stated_hash(client: httpx.Client, url: str) -> str:
    """The hub answers with the hash in a header of the redirect to the file itself."""
    answer = client.head(url, follow_redirects=False)
    if answer.status_code >= 400:
        raise DownloadFailed(f"the server answers {answer.status_code} for {url}.")
    value: str = answer.headers.get("x-linked-etag", "").strip('"')
    return value if len(value) == 64 else ""


def _all_of_it(client: httpx.Client, url: str, part: Path, progress: Progress) -> None:
    """Ask again after a break as long as each answer brings something."""
    failures = 0
    while True:
        before = _size(part)
        try:
            return _one_answer(client, url, part, progress)
        except httpx.TransportError:
            failures = 0 if _size(part) > before else failures + 1
            if failures >= TRIES:
                raise


def _one_answer(client: httpx.Client, url: str, part: Path, progress: Progress) -> None:
    have = _size(part)
    headers = {"Range": f"bytes={have}-"} if have else {}
    with client.stream("GET", url, headers=headers) as answer:
        if answer.status_code == 416:  # all of it is here, or more than there is
            return
        if answer.status_code not in (200, 206):
            raise DownloadFailed(f"the server answers {answer.status_code} for {url}.")
        if answer.status_code == 200:
            have = 0
        total = have + int(answer.headers.get("content-length", 0))
        with part.open("ab" if have else "wb") as file:
            for piece in answer.iter_raw(PIECE):
                file.write(piece)
                have += len(piece)
                progress("downloading", have, max(total, have))
    if have < total:
        raise httpx.RemoteProtocolError("the answer ended early")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
