"""What the user allowed is listed, for how long, and can be taken back."""

from pathlib import Path

import pytest
from tests.journeys.test_grants import READ, open_session, place, run  # noqa: F401  (fixtures)

from interpreter.sandboxes.network.host_gate import HostGate
from interpreter.sandboxes.network.hosts import Target

HERE = pytest.mark.parametrize("place", ["/tmp", str(Path.home())], indirect=True)


def reading(place, times):  # noqa: F811
    read = {"code": READ.format(place=str(place / "file"))}
    return [reply for _ in range(times) for reply in (read, "Done.")]


def listed(session):
    return [(one.kind, one.value, one.for_good) for one in session.factory.granted()]


@HERE
@pytest.mark.parametrize(("answer", "for_good"), [("session", False), ("always", True)])
def test_a_place_that_was_allowed_is_listed_and_asked_about_again_once_it_is_forgotten(
    open_session,  # noqa: F811
    place,  # noqa: F811
    answer,
    for_good,
):
    session = open_session(answer, *reading(place, 4))
    run(session)
    assert "READ treasure" in run(session)
    (kind, value, lasts) = listed(session)[0]
    assert (kind, lasts) == ("read", for_good)
    assert [one.value for one in session.factory.take_back(value)] == [value]
    assert listed(session) == []
    assert "READ" not in run(session).replace("print('READ'", "")  # nor an empty file in its place
    assert len(session.questions) == 2


@pytest.mark.parametrize("place", [str(Path.home())], indirect=True)
def test_a_place_stays_allowed_when_the_cell_is_opened_anew_for_another(
    open_session,  # noqa: F811
    place,  # noqa: F811
    tmp_path,
):
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("more")
    script = [*reading(place, 1), *reading(other, 2), *reading(place, 1)]
    session = open_session("session", *script)
    run(session)
    run(session)
    assert "READ more" in run(session)
    assert "READ treasure" in run(session)
    assert len(session.questions) == 2


def test_a_host_is_listed_and_forgotten_whatever_allowed_it():
    gate = HostGate(allow=["example.org:443"], ask=lambda hosts: "session")
    gate.ask([Target("example.com", 80)])
    assert gate.allowed() == ("example.org:443", "example.com:80")
    gate.forget("example.org:443")
    assert not gate.allows(Target("example.org", 443))
    assert gate.allows(Target("example.com", 80))
    gate.forget("example.com:80")
    assert gate.allowed() == ()
