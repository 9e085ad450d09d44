"""The files beside what is shown: pictures, pages, formulas; each once, the oldest dropped.

A page is code of others that a browser would run with the rights of a local file. So it is kept in
a frame that has no origin and no network; an SVG is kept as a picture, which runs nothing.
"""

from __future__ import annotations

import base64
import os
import re
from hashlib import sha256
from html import escape
from pathlib import Path

from interpreter.protocol.messages import LIBRARY, Face

SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/svg+xml": ".html",
    "text/html": ".html",
    "text/latex": ".tex",
    "application/pdf": ".pdf",
}
MOST = 200
LIBRARIES = 4  # that are kept, and that one page names
PAGE = """\
<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {scripts}style-src \
'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; frame-src 'none'; \
base-uri 'none'; form-action 'none'">
<style>html, body {{ margin: 0; height: 100% }} iframe {{ border: 0; width: 100%; height: 100% }}
</style>
{content}
"""
NEEDS = re.compile(rb'<script data-library="([0-9a-f]{64})"></script>')
SCRIPTS = "script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; "


class ShownFiles:
    """A private directory of things that were shown."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._libraries: dict[bytes, bytes] = {}

    def keep(self, face: Face) -> Path | None:
        """The file of a face; None where it cannot be written, or is nothing to open."""
        suffix = SUFFIXES.get(face.media_type)
        data = face.data.encode(errors="replace") if isinstance(face.data, str) else face.data
        if face.media_type == LIBRARY:
            kept = (*self._libraries.items(), (sha256(data).hexdigest().encode(), data))
            self._libraries = dict(kept[-LIBRARIES:])
        if suffix is None:
            return None
        if face.media_type == "text/html":
            data = NEEDS.sub(self._script, data, count=LIBRARIES)
        if suffix == ".html":
            data = _closed_page(face.media_type, data)
        path = self._directory / f"{sha256(data).hexdigest()[:12]}{suffix}"
        try:
            self._write(path, data)
        except OSError:
            return None
        return path

    def _script(self, needed: re.Match[bytes]) -> bytes:
        """The browser code that a figure names."""
        code = self._libraries.get(needed[1], b"").replace(b"</script", rb"<\/script")
        return b"<script>" + code + b"</script>"

    def _write(self, path: Path, data: bytes) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists():
            path.touch()
            return
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        files = sorted(self._directory.iterdir(), key=lambda file: file.stat().st_mtime)
        for old in files[:-MOST]:
            old.unlink(missing_ok=True)


def _closed_page(media_type: str, data: bytes) -> bytes:
    if media_type == "image/svg+xml":
        picture = base64.b64encode(data).decode("ascii")
        content, scripts = f'<img src="data:image/svg+xml;base64,{picture}">', ""
    else:
        page = escape(data.decode("utf-8", "replace"))
        content, scripts = f'<iframe sandbox="allow-scripts" srcdoc="{page}"></iframe>', SCRIPTS
    return PAGE.format(scripts=scripts, content=content).encode()
