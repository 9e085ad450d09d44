"""A server for the protocol's conformance suite: our wire, and what the suite wants to call.

Prints the port that it listens at, and ends when its input does.
"""

import json
import sys
import threading
import time
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from interpreter.mcp.serving.jobs import ServedFault, failed, text_result
from interpreter.mcp.serving.serving import META, Offer, ServedTool
from interpreter.server.access.gate import Gate
from interpreter.server.access.tokens import Tokens
from interpreter.server.config import ServerConfig
from interpreter.server.mcp_http import McpHttp
from interpreter.server.run import listening, uvicorn_options

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
TEXT = {"type": "string"}
NOTHING = {"type": "object", "properties": {}}
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
MIXED = {
    "uri": "test://mixed-content-resource",
    "mimeType": "application/json",
    "text": '{"test":"data","value":123}',
}
EMBEDDED = {
    "uri": "test://embedded-resource",
    "mimeType": "text/plain",
    "text": "This is an embedded resource content.",
}
CONTENTS = {
    "test_simple_text": [{"type": "text", "text": "This is a simple text response for testing."}],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [{"type": "resource", "resource": EMBEDDED}],
    "test_multiple_content_types": [
        {"type": "text", "text": "Multiple content types test:"},
        IMAGE,
        {"type": "resource", "resource": MIXED},
    ],
}


def form(message, required=(), **parts):
    schema = {"type": "object", "properties": parts, "required": list(required)}
    return "elicitation/create", {"message": message, "requestedSchema": schema}


def sampling(text, tokens=100):
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return "sampling/createMessage", {"messages": [message], "maxTokens": tokens}


def chosen(name, titles):
    return [{"const": f"value{n}", "title": f"{title} {name}"} for n, title in enumerate(titles, 1)]


ROOTS = ("roots/list", {})
NAME = form("What is your name?", ["name"], name=TEXT)
OPTIONS = {"type": "string", "enum": ["option1", "option2", "option3"]}
TITLES = ("First", "Second", "Third")
ENUMS = form(
    "Choose",
    untitledSingle=OPTIONS,
    titledSingle={"type": "string", "oneOf": chosen("Option", TITLES)},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": OPTIONS},
    titledMulti={"type": "array", "items": {"anyOf": chosen("Choice", TITLES)}},
)
DEFAULTS = form(
    "Please check",
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)


def asking(*rounds, told=lambda replies: f"Hello, {replies}!"):
    """A tool that asks in as many rounds, each some requests by their keys."""

    def run(given, job):
        said = {}
        for wanted in rounds:
            early = {key: job.caller.given.get(key) for key in wanted}
            early = early if all(isinstance(one, dict) for one in early.values()) else {}
            said |= early or job.request(wanted)
        return text_result(told(json.dumps(said)))

    return run


def supported(given, job):
    """Asks whatever the client can answer."""
    known = {"elicitation": ("name", NAME), "sampling": ("greeting", sampling("Greet", 50))}
    wanted = dict(known[one] for one in known if one in job.caller.capabilities)
    return text_result(json.dumps(job.request(wanted)))


def log(job, text, level="info"):
    if job.caller.modern:
        wanted = job.caller.meta.get(f"{META}logLevel")
        if wanted not in LEVELS or LEVELS.index(level) < LEVELS.index(wanted):
            return
    job.note("notifications/message", {"level": level, "logger": "suite", "data": text})


def logging(given, job):
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        log(job, text)
        time.sleep(0.05)
    return text_result("It was logged.")


def progress(given, job):
    token = job.caller.meta.get("progressToken")
    for done in (0, 50, 100):
        told = {"progressToken": token, "progress": done, "total": 100}
        if token is not None:
            job.note("notifications/progress", told)
        time.sleep(0.05)
    return text_result("It is done.")


def fail(given, job):
    return failed("This tool intentionally returns an error for testing")


def sampled(given, job):
    reply = job.request({"it": sampling(given["prompt"])}).get("it") or {}
    return text_result(f"LLM response: {reply.get('content', {}).get('text')}")


def elicited(request):
    def run(given, job):
        wanted = request or form(given["message"], ["username", "email"], username=TEXT, email=TEXT)
        reply = job.request({"it": wanted}).get("it") or {}
        action, content = reply.get("action"), json.dumps(reply.get("content"))
        return text_result(f"Elicitation completed: action={action}, content={content}")

    return run


def tool(name, run, **parts):
    schema = {"type": "object", "properties": parts, "required": list(parts)} if parts else NOTHING
    return ServedTool(name, f"Does what {name} says.", schema, run)


HEADED = {"type": "object", "properties": {"region": {**TEXT, "x-mcp-header": "Region"}}}
MRTR = "test_input_required_result_"
CONFIRM = form("Please confirm", ["ok"], ok={"type": "boolean"})
TOOLS = [
    *(
        tool(name, lambda given, job, parts=parts: {"content": parts})
        for name, parts in CONTENTS.items()
    ),
    ServedTool("test_header", "Has a header.", HEADED, lambda given, job: text_result("good")),
    tool("test_tool_with_logging", logging),
    tool("test_logging_tool", logging),
    tool("test_tool_with_progress", progress),
    tool("test_error_handling", fail),
    tool("test_sampling", sampled, prompt=TEXT),
    tool("test_missing_capability", asking({"it": sampling("Hello")})),
    tool("test_elicitation", elicited(None), message=TEXT),
    tool("test_elicitation_sep1034_defaults", elicited(DEFAULTS)),
    tool("test_elicitation_sep1330_enums", elicited(ENUMS)),
    tool("test_streaming_elicitation", asking({"user_name": NAME})),
    tool(f"{MRTR}elicitation", asking({"user_name": NAME})),
    tool(f"{MRTR}sampling", asking({"capital_question": sampling("The capital of France?")})),
    tool(f"{MRTR}list_roots", asking({"client_roots": ROOTS})),
    tool(f"{MRTR}request_state", asking({"confirm": CONFIRM}, told=lambda said: "state-ok")),
    tool(f"{MRTR}tampered_state", asking({"confirm": CONFIRM})),
    tool(f"{MRTR}capabilities", supported),
    tool(
        f"{MRTR}multiple_inputs",
        asking({"user_name": NAME, "greeting": sampling("Greet", 50), "client_roots": ROOTS}),
    ),
    tool(
        f"{MRTR}multi_round",
        asking({"step1": NAME}, {"step2": form("Which color?", ["color"], color=TEXT)}),
    ),
]
RESOURCES = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}
TEMPLATE = {
    "uriTemplate": "test://template/{id}/data",
    "name": "template",
    "description": "Data by id",
    "mimeType": "application/json",
}


def read(given, job):
    uri = given.get("uri", "")
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    if uri.startswith("test://template/"):
        number = uri.split("/")[3]
        text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}
    raise ServedFault(-32602, "Resource not found", {"uri": uri})


def said(*contents):
    return {"messages": [{"role": "user", "content": content} for content in contents]}


def words(text):
    return {"type": "text", "text": text}


def contextual(given, job):
    form_ = form("What context should the prompt use?", ["context"], context=TEXT)
    return said(words(json.dumps(job.request({"user_context": form_}))))


def embedding(given, job):
    text = "Embedded resource content for testing."
    resource = {"uri": given["resourceUri"], "mimeType": "text/plain", "text": text}
    return said(
        {"type": "resource", "resource": resource},
        words("Please process the embedded resource above."),
    )


PROMPTS = {
    "test_simple_prompt": ((), lambda g, j: said(words("This is a simple prompt for testing."))),
    "test_prompt_with_arguments": (
        ("arg1", "arg2"),
        lambda g, j: said(words(f"Prompt with arguments: arg1='{g['arg1']}', arg2='{g['arg2']}'")),
    ),
    "test_prompt_with_embedded_resource": (("resourceUri",), embedding),
    "test_prompt_with_image": (
        (),
        lambda g, j: said(IMAGE, words("Please analyze the image above.")),
    ),
    "test_input_required_result_prompt": ((), contextual),
}


def prompt(given, job):
    if given.get("name") not in PROMPTS:
        raise ServedFault(-32602, "Unknown prompt")
    return PROMPTS[given["name"]][1](given.get("arguments", {}), job)


METHODS = {
    "logging/setLevel": lambda given, job: {},
    "completion/complete": lambda given, job: {
        "completion": {"values": ["paris"], "total": 1, "hasMore": False}
    },
    "resources/list": lambda given, job: {
        "resources": [
            {"uri": uri, "name": uri[7:], "description": uri, "mimeType": one["mimeType"]}
            for uri, one in RESOURCES.items()
        ]
    },
    "resources/templates/list": lambda given, job: {"resourceTemplates": [TEMPLATE]},
    "resources/read": read,
    "resources/subscribe": lambda given, job: {},
    "resources/unsubscribe": lambda given, job: {},
    "prompts/list": lambda given, job: {
        "prompts": [
            {
                "name": name,
                "description": f"The prompt {name}",
                "arguments": [
                    {"name": part, "description": part, "required": True} for part in parts
                ],
            }
            for name, (parts, _) in PROMPTS.items()
        ]
    },
    "prompts/get": prompt,
}
CAPABILITIES = {"resources": {}, "prompts": {}, "completions": {}, "logging": {}}


class Everybody(Tokens):
    """The suite has no token; all else of the gate is as it is."""

    def user_of_cookie(self, cookie):
        return self._users["owner"]


def main():
    offer = Offer(TOOLS, "For the suite.", METHODS, CAPABILITIES)
    config = ServerConfig(host="127.0.0.1", port=0)
    routes = Starlette(routes=McpHttp(lambda user: offer).routes())
    gate = Gate(routes, config, Everybody("none", Path("/"), {}))
    with listening(config) as listener:
        options = uvicorn_options(config) | {"lifespan": "off"}
        server = uvicorn.Server(uvicorn.Config(gate, **options))
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()

        def until_the_end():
            sys.stdin.read()
            server.should_exit = True

        threading.Thread(target=until_the_end, daemon=True).start()
        server.run(sockets=[listener])
    return 0


if __name__ == "__main__":
    sys.exit(main())
