"""The built page and its files, and the empty frame that HTML of code is shown in."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from interpreter.protocol import safe_files

BUILT = Path(__file__).resolve().parent / "page"
LARGEST = 20 << 20
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>reploop</title>
<p>The page is not built. In a source tree, <code>make page</code> builds it. The server itself
works: see <code>docs/server.md</code>.</p></html>"""
FRAME = """<!doctype html><html><meta charset="utf-8"><script>
addEventListener("message", function take(event) {
  if (event.source !== parent || typeof event.data.html !== "string") return;
  removeEventListener("message", take);
  document.open(); document.write(event.data.html); document.close();
  const tell = () => parent.postMessage(
    {height: document.documentElement.scrollHeight}, "*");
  new ResizeObserver(tell).observe(document.documentElement); tell();
});
parent.postMessage({ready: true}, "*");
</script></html>"""
FRAME_POLICY = (
    "sandbox allow-scripts; default-src 'none'; "
    "script-src 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'unsafe-inline' data:; img-src data: blob:; font-src data:; media-src data: blob:;"
    " worker-src blob:; frame-ancestors 'self'"
)


def is_built() -> bool:
    """Whether there is a page at all; a checkout has none before it is built."""
    return safe_files.is_file(BUILT / "index.html")


async def page(request: Request) -> Response:
    """The page, or how to build it."""
    if not is_built():
        return HTMLResponse(NOT_BUILT)
    return HTMLResponse(safe_files.read_bytes(BUILT / "index.html", LARGEST))


async def asset(request: Request) -> Response:
    """A file of the page; their names change with their content."""
    name = request.path_params["name"]
    path = BUILT / "assets" / name
    if "/" in name or name.startswith(".") or not safe_files.is_file(path):
        return Response("There is no such file.", 404)
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(safe_files.read_bytes(path, LARGEST), headers=headers, media_type=kind)


async def frame(request: Request) -> Response:
    """A document of an origin of its own, without network, that becomes what it is told."""
    return HTMLResponse(FRAME, headers={"content-security-policy": FRAME_POLICY})
