from interpreter.protocol.events import MessageFinished
from interpreter.session.store.database import Store


def test_a_session_is_kept_as_it_happens(make_session, tmp_path):
    store = Store(tmp_path)
    session = make_session({"text": "Adding.", "code": "1"}, "Done.", store=store)

    for event in session.send("hi"):
        if isinstance(event, MessageFinished):
            assert list(store.messages(session.id)) == list(session.transcript)

    assert len(session.transcript) == 4
    store.close()


def test_a_session_without_a_store_works_too(make_session):
    session = make_session("Hello.")
    assert [type(event) for event in session.send("hi")][-1].__name__ == "TurnFinished"
