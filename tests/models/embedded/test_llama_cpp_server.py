import subprocess
import sys

import pytest

from interpreter.models.local.servers import LLAMA_CPP, server_at

START = """
import sys, xllamacpp
options = xllamacpp.CommonParams()
options.model.path, options.n_ctx, options.verbosity = sys.argv[1], 512, 0
server = xllamacpp.Server(options)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def llama_server(small_model):
    """llama.cpp's own server as a user would run it, without a key."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(small_model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        yield process.stdout.readline().strip()
        process.stdin.close()


def test_the_real_llama_cpp_server_is_found(llama_server):
    server = server_at(llama_server)
    assert server.kind == LLAMA_CPP
    (model,) = server.models
    assert (model.context, model.loaded) == (512, True)
    assert model.size > 90_000_000
