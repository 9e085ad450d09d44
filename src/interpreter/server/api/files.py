"""The workspace of a session: list, download, upload, zip. Links are shown and never followed."""

from __future__ import annotations

import asyncio
import errno
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from interpreter.protocol import safe_files
from interpreter.server.api.endpoint import Endpoint, EndpointCall
from interpreter.server.api.schema import fields, listed, text, whole
from interpreter.server.api.shapes import ENTRY, FLAG, PLAIN
from interpreter.server.errors import Refused
from interpreter.server.ranges import download

MOST_ENTRIES = 5_000
MOST_IN_ARCHIVE = 20_000
MOST_TIMES_SMALLER = 4  # an archive than all that is in it
DEEPEST = 100
AT_ONCE = 1 << 20
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def place(call: EndpointCall, path: str) -> Path:
    """A path of the workspace; what would lead out of it is refused by its words alone."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise Refused(403, "forbidden", "A path must lead into the workspace.")
    return Path(call.hub.store.directory(call.session)).joinpath(*parts)


def refused(error: OSError) -> Refused:
    """Why a file cannot be used."""
    if isinstance(error, FileNotFoundError):
        return Refused(404, "missing", "There is no such file.")
    if isinstance(error, FileExistsError):
        return Refused(409, "conflict", "There is a file of that name; `replace=true` overwrites.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refused(503, "full", "There is no room on the disk.")
    return Refused(403, "forbidden", f"It cannot be used: {error.strerror or error}.")


async def list_files(call: EndpointCall) -> dict[str, Any]:
    where = place(call, call.query["path"])
    try:
        entries, truncated = await run_in_threadpool(_entries, where)
    except OSError as error:
        raise refused(error) from error
    return {"path": call.query["path"], "entries": entries, "truncated": truncated}


def _entries(where: Path) -> tuple[list[dict[str, Any]], bool]:
    found: list[dict[str, Any]] = []
    for name, status in safe_files.entries(where):
        if len(found) >= MOST_ENTRIES:
            return found, True
        found.append({
            "name": _shown(name),
            "kind": KINDS.get(stat.S_IFMT(status.st_mode), "other"),
            "size": status.st_size,
            "modified": status.st_mtime,
        })
    return found, False


def _shown(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="replace")


async def download_file(call: EndpointCall) -> Response:
    where = place(call, call.query["path"])
    try:
        file = await run_in_threadpool(safe_files.opened, where)
    except OSError as error:
        raise refused(error) from error
    return download(call.request, file, where.name)


async def upload(call: EndpointCall) -> dict[str, Any]:
    where = place(call, call.query["path"])
    if where == place(call, ""):
        raise Refused(400, "invalid", "A file needs a name.")
    try:
        size = await _received(call, where)
    except OSError as error:
        raise refused(error) from error
    return {"path": call.query["path"], "size": size}


async def _received(call: EndpointCall, where: Path) -> int:
    size = 0
    await run_in_threadpool(lambda: safe_files.make_folder(where.parent, mode=0o755))
    with safe_files.drafted(where, mode=0o644, replace=call.query["replace"]) as file:
        async for piece in call.request.stream():
            await asyncio.to_thread(file.write, piece)
            size += len(piece)
    return size


async def archive(call: EndpointCall) -> Response:
    where = place(call, call.query["path"])
    most = call.hub.config.limits.upload
    try:
        file = await run_in_threadpool(_zipped, where, most)
    except OSError as error:
        raise refused(error) from error
    return download(call.request, file, f"{where.name}.zip")


def _zipped(where: Path, most: int) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by whoever sends it)
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
            left = most * MOST_TIMES_SMALLER
            for name, path in _below(where):
                left = _add(zipped, name, path, most, left)
    except BaseException:
        file.close()
        raise
    return file


def _add(zipped: zipfile.ZipFile, name: str, path: Path, most: int, left: int) -> int:
    """Add a file; how many bytes may still be read of others: holes are long and cost nothing."""
    with safe_files.opened(path) as source, zipped.open(name, "w", force_zip64=True) as target:
        while piece := source.read(AT_ONCE):
            target.write(piece)
            left -= len(piece)
            if left < 0 or (zipped.fp is not None and zipped.fp.tell() > most):
                raise Refused(413, "too_large", f"The archive is longer than {most:,} bytes.")
    return left


def _below(where: Path) -> Iterator[tuple[str, Path]]:
    """The ordinary files of a directory and of those in it, by their name in the archive."""
    waiting, count = [(where, "")], 0
    while waiting:
        here, prefix = waiting.pop()
        if prefix.count("/") > DEEPEST:
            raise Refused(
                413, "too_large", f"Directories are nested in more than {DEEPEST} levels."
            )
        for name, status in safe_files.entries(here):
            count += 1
            if count > MOST_IN_ARCHIVE:
                raise Refused(413, "too_large", f"There are more than {MOST_IN_ARCHIVE:,} files.")
            if stat.S_ISDIR(status.st_mode):
                waiting.append((here / name, f"{prefix}{_archived(name)}/"))
            elif stat.S_ISREG(status.st_mode):
                yield f"{prefix}{_archived(name)}", here / name


def _archived(name: str) -> str:
    """A name in an archive: where it is unpacked a backslash may lead to elsewhere, too."""
    return _shown(name).replace("\\", "_")


ONE = "/api/sessions/{id}"
PATH = text(4000)
ENDPOINTS = (
    Endpoint("GET", f"{ONE}/files", list_files, "What is in a directory of the workspace.",
             fields("path", "entries", "truncated",
                    path=PLAIN, entries=listed(ENTRY), truncated=FLAG),
             query={"path": text(4000, default="")}),
    Endpoint("GET", f"{ONE}/file", download_file, "A file of the workspace; ranges work.",
             "application/octet-stream", query={"path": PATH}),
    Endpoint("PUT", f"{ONE}/file", upload, "Put a file into the workspace.",
             fields("path", "size", path=PLAIN, size=whole(0, 1 << 62)), status=201, raw=True,
             query={"path": PATH, "replace": {"type": "boolean", "default": False}}),
    Endpoint("GET", f"{ONE}/archive", archive, "A directory of the workspace as a zip.",
             "application/octet-stream", query={"path": text(4000, default="")}),
)  # fmt: skip
