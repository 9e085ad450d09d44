"""The OpenAPI document is true: random requests made from it get the answers that it tells."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import Route
from tests.server.conftest import OWNER, Talk

from interpreter.server.app import ENDPOINTS

EXAMPLES = int(os.environ.get("SERVER_EXAMPLES", "4"))
TALKS = {
    "send",
    "proceed",
    "run",
    "fork",
    "events",
    "chat",
    "chat_too",
    "responses",
}  # they start processes; they have tests of their own


@pytest.fixture
def running(serve, script):
    return serve(model=script("Hello.", repeat=True))


@pytest.mark.parametrize("insecure", [False, True])
def test_every_request_that_is_answered_is_in_the_document(serve, insecure):
    running = serve(options={"insecure_routes": insecure})
    paths = running.client().get("/api/openapi.json").json()["paths"]
    told = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    answered = {
        (method, route.path.replace(":path}", "}"))
        for route in running.server.routes
        if isinstance(route, Route)
        for method in route.methods - {"HEAD"}
    }
    page = {("GET", "/"), ("GET", "/assets/{name}"), ("GET", "/frame")}
    assert told == answered - page
    assert {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS} < told
    assert (("POST", "/run") in told) == insecure


@pytest.mark.filterwarnings("ignore")
def test_no_request_breaks_it_and_every_answer_is_as_documented(running, capsys):
    session = Talk(running).id
    raw = running.client().get("/api/openapi.json").json()
    operations = [one for methods in raw["paths"].values() for one in methods.values()]
    for operation in operations:
        if operation["operationId"] != "delete":
            named = [p for p in operation["parameters"] if p["name"] == "id"]
            named and named[0].update(schema={"enum": [session, "nothing", "é"]})
    schema = schemathesis.openapi.from_dict(raw)
    checks = [not_a_server_error, status_code_conformance, response_schema_conformance]
    headers = {"authorization": f"Bearer {OWNER}"}

    def try_it(operation, checks):
        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def one(case):
            response = case.call(base_url=running.url, headers=headers)
            case.validate_response(response, checks=checks)

        one()

    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        told = operation.definition.raw
        if told["operationId"] not in TALKS:
            try_it(operation, [not_a_server_error] if "tags" in told else checks)
            tried += 1
    assert tried > 35
