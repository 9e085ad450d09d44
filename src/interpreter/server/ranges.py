"""Bytes and files as answers, whole or in a range."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from interpreter.server.errors import Refused

RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
AT_ONCE = 256 << 10


def ranged(request: Request, data: bytes, media_type: str) -> Response:
    """Bytes, or the part of them that is asked for."""
    start, end, status, headers = _part(request, len(data))
    return Response(data[start:end], status, headers, media_type)


def download(request: Request, file: BinaryIO, name: str) -> Response:
    """A file as a download, or the part of it that is asked for; it is closed afterwards."""
    try:
        start, end, status, headers = _part(request, os.fstat(file.fileno()).st_size)
    except Refused:
        file.close()
        raise
    headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    headers["content-length"] = str(end - start)
    return _FileResponse(file, start, end, status, headers)


class _FileResponse(StreamingResponse):
    """A part of a file, which is closed whether all of it was wanted or not."""

    def __init__(
        self, file: BinaryIO, start: int, end: int, status: int, headers: dict[str, str]
    ) -> None:
        super().__init__(_pieces(file, start, end), status, headers, "application/octet-stream")
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


def _pieces(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    left = end - start
    while left > 0 and (piece := file.read(min(AT_ONCE, left))):
        left -= len(piece)
        yield piece
    yield b"\0" * left  # it became shorter meanwhile, and the length was promised


def _part(request: Request, size: int) -> tuple[int, int, int, dict[str, str]]:
    """Where the asked part begins and ends, the status, and the headers that say so."""
    headers = {"accept-ranges": "bytes"}
    asked = RANGE.fullmatch(request.headers.get("range", ""))
    if asked is None or asked.group() == "bytes=-":
        return 0, size, 200, headers
    first, last = asked.groups()
    if first:
        start, end = int(first), min(int(last) + 1 if last else size, size)
    else:
        start, end = max(0, size - int(last)), size
    if start >= end:
        raise Refused(416, "range", f"There are {size:,} bytes.")
    headers["content-range"] = f"bytes {start}-{end - 1}/{size}"
    return start, end, 206, headers
