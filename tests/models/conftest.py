import pytest

from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions, Patience
from support.model_server import ModelServer

QUICK = Patience(connect_seconds=5, first_pause=0.01, longest_pause=0.02, attempts=4)


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def open_model(server):
    """Opens a model that talks to the loopback server."""
    opened = []

    def open_one(name="openai/some-model", **options):
        options.setdefault("patience", QUICK)
        options.setdefault("api_key", "a-key")
        model = resolve(name, ModelOptions(api_base=server.url, **options))
        opened.append(model)
        return model

    yield open_one
    for model in opened:
        model.close()
