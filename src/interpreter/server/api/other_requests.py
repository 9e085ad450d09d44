"""Requests that are answered elsewhere, for the document: streams, and protocols of others."""

from __future__ import annotations

from typing import Any

from interpreter.protocol.values import frozen

JSON, EVENTS, BYTES = "application/json", "text/event-stream", "application/octet-stream"
FORM = "multipart/form-data"
OPENAI = "As OpenAI's API has it"
OLD = "As Open Interpreter's server has it"


@frozen
class OtherRequest:
    """What is told of one; `takes` and `gives` are media types, empty for none."""

    method: str
    path: str
    name: str
    summary: str
    gives: str = JSON
    takes: str = ""


OTHER_REQUESTS = (
    OtherRequest("GET", "/heartbeat", "heartbeat", "Whether anybody is here; needs no token."),
    OtherRequest("GET", "/api/openapi.json", "openapi", "This document."),
    OtherRequest("GET", "/api/sessions/{id}/events", "events",
                 "Events after `after`, as they come; over a WebSocket at `…/socket`.", EVENTS),
    OtherRequest("POST", "/v1/chat/completions", "chat", f"{OPENAI}.", takes=JSON),
    OtherRequest("POST", "/openai/chat/completions", "chat_too", f"{OPENAI}.", takes=JSON),
    OtherRequest("POST", "/v1/responses", "responses", f"{OPENAI}.", takes=JSON),
    OtherRequest("POST", "/v1/audio/transcriptions", "hear", f"{OPENAI}.", takes=FORM),
    OtherRequest("POST", "/v1/audio/speech", "speak", f"{OPENAI}.", BYTES, takes=JSON),
    OtherRequest("GET", "/v1/models", "openai_models", f"{OPENAI}."),
    OtherRequest("GET", "/v1/models/{name}", "openai_model", f"{OPENAI}."),
    OtherRequest("GET", "/openai/models", "openai_models_too", f"{OPENAI}."),
    OtherRequest("POST", "/", "post_message", f"{OLD}; its WebSocket is at `/`, too.", takes=JSON),
    OtherRequest("POST", "/settings", "old_change", f"{OLD}.", takes=JSON),
    OtherRequest("GET", "/settings/{name}", "old_setting", f"{OLD}."),
    OtherRequest("POST", "/upload", "old_upload", f"{OLD}.", takes=FORM),
    OtherRequest("GET", "/download/{name}", "old_download", f"{OLD}.", BYTES),
    OtherRequest("POST", "/mcp", "mcp", "The Model Context Protocol, over HTTP.", takes=JSON),
    OtherRequest("DELETE", "/mcp", "mcp_end", "The end of a connection of an older client.", ""),
)  # fmt: skip
RUN = OtherRequest("POST", "/run", "old_run", f"{OLD}; only where it was enabled.", takes=JSON)


def described(one: OtherRequest, in_path: list[dict[str, Any]], error: Any) -> dict[str, Any]:
    """One of them in the document."""
    content: dict[str, Any] = {one.gives: {"schema": {}}} if one.gives else {}
    answer = {"description": "Done.", **({"content": content} if content else {})}
    operation: dict[str, Any] = {
        "summary": one.summary,
        "operationId": one.name,
        "tags": ["other"],
        "parameters": in_path,
        "responses": {"2XX": answer, "4XX": error, "503": error},
    }
    if one.takes:
        schema = {"type": "object"} if one.takes == JSON else {}
        operation["requestBody"] = {"required": True, "content": {one.takes: {"schema": schema}}}
    return operation
