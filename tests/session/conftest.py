"""Shared by the tests of this room."""

from functools import partial

import pytest
from tests import sessions


@pytest.fixture
def echo():
    return sessions.Echo()


@pytest.fixture
def make_session(echo):
    return partial(sessions.make_session, echo)
