"""Clients of real servers, started as the program starts them, and closed whatever happens."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.mcp.client import CallPatience, Client, Surroundings
from interpreter.mcp.transports.stdio import StdioTransport
from interpreter.sandboxes.backends.none import NoSandbox

HOSTILE = Path(__file__).parent / "hostile_server.py"
PEERS = Path(__file__).parents[2] / ".peers"


@contextlib.contextmanager
def connections(place):
    """Start programs as servers, in a cell without walls, and find out how they speak."""
    cell = NoSandbox().open(place)
    clients = []

    def connected(*argv, ask=None, **patience):
        process = cell.launch(
            list(map(str, argv)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        told = []
        transport = StdioTransport("peer", process, lambda message: clients[-1].heard(message))
        surroundings = (
            Surroundings(ask, progress=told.append) if ask else Surroundings(progress=told.append)
        )
        client = Client("peer", transport, surroundings, CallPatience(**patience))
        client.process, client.told = process, told
        clients.append(client)
        client.connect()
        return client

    try:
        yield connected
    finally:
        for client in clients:
            client.close()
        cell.close()


@pytest.fixture
def connect(tmp_path):
    """Start a program as a server."""
    with connections(tmp_path) as connected:
        yield connected


@pytest.fixture
def hostile(connect):
    """A server that behaves in the way that is named."""
    return lambda name, **options: connect(sys.executable, HOSTILE, name, **options)


@pytest.fixture(scope="session")
def peers():
    """The place of other implementations."""
    if not (PEERS / ".done").exists():
        pytest.skip("there are no other implementations here; scripts/peers installs them")
    return PEERS
