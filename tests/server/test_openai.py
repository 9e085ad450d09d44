"""OpenAI's own client against our endpoint."""

import base64

import pytest
from tests.server.conftest import ADA, ADD, OWNER, Talk

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()


@pytest.fixture
def client_of(openai):
    made = []

    def make(running, token=OWNER, path="/v1", **options):
        made.append(
            openai.OpenAI(base_url=running.url + path, api_key=token, max_retries=0, **options)
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


def say(client, text="Add.", **options):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="reploop", messages=messages, **options)


SHOWN = "Adding.\n\n```python\nx = 2 + 3\nprint(x)\n```\n\n\n````output\n5\n\n````\nIt is 5."


def test_an_answer_has_the_code_and_its_result(serve, script, client_of):
    client = client_of(serve(model=script(ADD, "It is 5."), auto_run=True))
    answer = say(client)
    assert answer.choices[0].message.content == SHOWN
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens >= 0


def test_a_streamed_answer_is_the_same_and_ends(serve, script, client_of):
    client = client_of(serve(model=script(ADD, "It is 5."), auto_run=True))
    chunks = list(say(client, stream=True, stream_options={"include_usage": True}))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == SHOWN
    reasons = [c.choices[0].finish_reason for c in chunks if c.choices]
    assert (reasons[-1], set(reasons[:-1])) == ("stop", {None})
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_stream_ends_with_done(serve, script):
    running = serve(model=script("Hello."))
    body = {"model": "x", "messages": [{"role": "user", "content": "Hi."}], "stream": True}
    body["model"] = "reploop"
    with running.client().stream("POST", "/openai/chat/completions", json=body) as answer:
        lines = [line for line in answer.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    assert all(line.startswith("data: ") for line in lines)


def test_code_is_not_run_where_nobody_can_approve_it(serve, script, client_of):
    client = client_of(serve(model=script(ADD, "never said")))
    content = say(client).choices[0].message.content
    assert "```python" in content
    assert "not run" in content
    assert "5\n" not in content


def test_it_is_stateless_and_the_whole_conversation_is_read(serve, script, client_of):
    running = serve(model=script("You said hello."))
    client = client_of(running)
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": [{"type": "text", "text": "What did I say?"},
                                     {"type": "image_url", "image_url": {"url": PNG}}]},
    ]  # fmt: skip
    answer = client.chat.completions.create(model="reploop", messages=messages)
    assert answer.choices[0].message.content == "You said hello."
    assert running.client().get("/api/sessions").json() == {"sessions": []}


def test_a_session_by_header_goes_on(serve, script, client_of, openai):
    running = serve()
    model = script({"code": "n = 41"}, "Kept.", {"code": "print(n + 1)"}, "42.")
    one = Talk(running, model=model, auto_run=True)
    client = client_of(running, default_headers={"X-Session-ID": one.id})
    say(client)
    assert "42\n" in say(client).choices[0].message.content
    other = client_of(running, ADA, default_headers={"X-Session-ID": one.id})
    with pytest.raises(openai.NotFoundError):
        say(other)


def test_responses(serve, script, client_of):
    client = client_of(serve(model=script(ADD, "It is 5."), auto_run=True))
    assert client.responses.create(model="reploop", input="Add.").output_text == SHOWN
    events = list(client.responses.create(model="reploop", input="Add.", stream=True))
    kinds = [event.type for event in events]
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    deltas = [e.delta for e in events if e.type == "response.output_text.delta"]
    assert "".join(deltas) == events[-1].response.output_text == SHOWN


def test_responses_take_pictures_and_instructions(serve, script, client_of, openai):
    client = client_of(serve(model=script("I see.", repeat=True)))
    parts = [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": PNG, "detail": "auto"},
    ]
    said = [{"role": "user", "content": parts}]
    answer = client.responses.create(model="reploop", input=said, instructions="Be brief.")
    assert (answer.output_text, answer.status) == ("I see.", "completed")
    parts[1]["image_url"] = "https://example.org/a.png"
    with pytest.raises(openai.BadRequestError, match="data: address"):
        client.responses.create(model="reploop", input=said)


def test_errors_are_those_that_the_client_knows(serve, script, client_of, openai):
    running = serve(model=script())
    with pytest.raises(openai.AuthenticationError):
        say(client_of(running, "wrong"))
    with pytest.raises(openai.APIStatusError) as failed:
        say(client_of(running))
    assert failed.value.status_code == 502
    with pytest.raises(openai.BadRequestError):
        client_of(running).chat.completions.create(model="reploop", messages=[])
    with pytest.raises(openai.PermissionDeniedError):
        client_of(running, ADA).chat.completions.create(
            model="scripted//etc/passwd", messages=[{"role": "user", "content": "x"}]
        )


def test_models(serve, script, client_of, openai):
    client = client_of(serve(model=script("Hi.")))
    assert "reploop" in [model.id for model in client.models.list()]
    assert client.models.retrieve("reploop").id == "reploop"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nobody")
