"""What is answered when something cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

CLOSE_CODES = {401: 4401, 403: 4403, 404: 4404, 429: 4429}


class Refused(Exception):
    """A request that is not carried out; `text` is one plain sentence."""

    def __init__(self, status: int, code: str, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status = status
        self.body = {"error": {"code": code, "text": text, **more}}


async def answered(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    """Say it, over HTTP or by closing the socket before it opens."""
    if scope["type"] == "websocket":
        await receive()
        code = CLOSE_CODES.get(refused.status, 4400)
        await send({"type": "websocket.close", "code": code, "reason": str(refused)})
        return
    from starlette.responses import JSONResponse  # noqa: PLC0415  (an extra)

    headers = {"retry-after": "60"} if refused.status in (429, 503) else {}
    await JSONResponse(refused.body, refused.status, headers)(scope, receive, send)
