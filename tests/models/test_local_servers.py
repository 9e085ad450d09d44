import socket
import time

import pytest
from tests.models import wire_of_servers as wire
from tests.models.loopback import always, serving

from interpreter.models.local import servers as local_servers
from interpreter.models.local.ollama import PullProgress, pull
from interpreter.models.local.readings import LocalModel
from interpreter.models.local.servers import (
    JAN,
    LLAMAFILE,
    LM_STUDIO,
    OLLAMA,
    VLLM,
    find_servers,
    server_at,
    usual_places,
)
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions
from interpreter.protocol.errors import UnknownModel, Unreachable
from interpreter.protocol.events import ActionProposed
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, user_says
from interpreter.protocol.ports import Request, ToolSpec

EXECUTE = ToolSpec("execute", "Run code.", '{"type": "object"}')


def found(routes, **options):
    with serving(routes, **options) as server:
        return server_at(server.url)


def test_ollama_is_found_with_sizes_contexts_and_abilities():
    server = found(wire.ollama())
    assert server.kind == OLLAMA
    assert server.models == (
        LocalModel(wire.EMBEDDER, 274302450, 2048, "137M F16", tools=False, vision=False),
        LocalModel(wire.QWEN, 4683087332, 32768, "7.6B Q4_K_M", tools=True, vision=False),
    )


def test_lm_studio_is_found_with_what_is_loaded():
    server = found(wire.lm_studio())
    assert server.kind == LM_STUDIO
    assert server.models == (
        LocalModel("qwen2.5-coder-14b-instruct", 0, 8192, "qwen2 Q4_K_M", True, True, False),
        LocalModel("qwen2-vl-7b-instruct", 0, 32768, "qwen2_vl 4bit", False, None, True),
    )


def test_jan_is_found():
    assert (found(wire.jan()).kind, found(wire.jan()).models) == (
        JAN,
        (LocalModel("Jan-v1-4B-Q4_K_M"),),
    )


def test_llamafile_is_found_by_its_signature():
    server = found(wire.llamafile(), banner="llamafile/0.9.3")
    assert server.kind == LLAMAFILE
    assert server.models == (LocalModel("Llama-3.2-3B-Instruct.Q6_K.gguf"),)


def test_vllm_is_found_with_its_context():
    server = found(wire.vllm(), banner="uvicorn")
    assert server.kind == VLLM
    assert server.models[0].context == 32768


def test_a_web_server_is_no_model_server():
    pages = {("GET", "/v1/models"): always(b"<html>", kind="text/html")}
    assert found(pages) is None
    assert found({}) is None


@pytest.mark.parametrize("answer", [[], {}, {"models": 3}, {"models": [None, 7]}, "text", None])
def test_strange_answers_do_no_harm(answer):
    every = {("GET", path): always(answer) for path in ("/api/tags", "/api/v0/models", "/v1/models", "/props")}  # fmt: skip
    server = found(every)
    assert server is None or server.models == ()


def test_looking_finds_what_listens_and_only_that():
    with serving(wire.ollama()) as ollama, serving(wire.jan()) as jan, free_port() as nobody:
        places = [("127.0.0.1", port) for port in (ollama.port, nobody, jan.port)]
        assert [server.kind for server in find_servers(places)] == [OLLAMA, JAN]


def test_looking_where_nobody_is_takes_no_time():
    with free_port() as one, free_port() as other:
        start = time.perf_counter()
        assert find_servers([("127.0.0.1", one), ("127.0.0.1", other)]) == ()
        assert time.perf_counter() - start < 2  # it takes a millisecond; this is to catch a hang


def test_a_door_that_never_opens_is_left(monkeypatch):
    """A full backlog lets a connection hang, as a firewall that drops packets does."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        place = deaf.getsockname()
        waiting = [local_servers._knock(place) for _ in range(3)]
        assert find_servers([place]) == ()
        for one in waiting:
            one.close()


def free_port():
    """A port at which nobody listens."""
    reserved = socket.socket()
    reserved.bind(("127.0.0.1", 0))

    class Port:
        def __enter__(self):
            return reserved.getsockname()[1]

        def __exit__(self, *exc):
            reserved.close()

    return Port()


def test_ollama_is_looked_for_where_its_variable_says():
    assert usual_places({"OLLAMA_HOST": "0.0.0.0:9999"})[0] == ("127.0.0.1", 9999)
    assert usual_places({"OLLAMA_HOST": "http://box"})[0] == ("box", 11434)
    assert usual_places({})[0] == ("127.0.0.1", 11434)


@pytest.mark.parametrize(
    ("routes", "name"),
    [
        (wire.ollama, "ollama/qwen2.5-coder:7b"),
        (wire.lm_studio, "lmstudio/qwen2.5-coder-14b-instruct"),
        (wire.jan, "jan/Jan-v1-4B-Q4_K_M"),
        (wire.llamafile, "llamafile/Llama-3.2-3B-Instruct.Q6_K.gguf"),
        (wire.vllm, "vllm/Qwen/Qwen2.5-Coder-7B-Instruct"),
    ],
)
def test_a_turn_of_code_comes_from_each_server(routes, name):
    with serving(routes()) as server:
        model = resolve(name, ModelOptions(api_base=f"{server.url}/v1"))
        request = Request("", (user_says("What is 6 times 7?"),), (EXECUTE,))
        events = list(model.stream(request, Interrupt()))
        model.close()
    proposed = [event.action for event in events if isinstance(event, ActionProposed)]
    assert proposed == [Code("python", "print(6 * 7)", proposed[0].call_id)]


def test_pulling_tells_how_far_it_is():
    with serving(wire.ollama()) as server:
        told = list(pull(server.url, "qwen2.5-coder:1.5b"))
    assert told[0] == PullProgress("pulling manifest")
    assert PullProgress("pulling 60e05f2100e0", 400, 1000) in told
    assert told[-1] == PullProgress("success")


def test_pulling_what_does_not_exist_says_so():
    with (
        serving(wire.ollama()) as server,
        pytest.raises(UnknownModel, match="cannot pull 'nonsense': pull model manifest"),
    ):
        list(pull(server.url, "nonsense"))


def test_pulling_from_nobody_says_so():
    with free_port() as port, pytest.raises(Unreachable, match="stopped answering"):
        list(pull(f"http://127.0.0.1:{port}", "x"))
