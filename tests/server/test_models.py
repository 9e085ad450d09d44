"""The models that the page offers: configured, used, with a key, local, built in."""

from tests.models.loopback import serving
from tests.models.wire_of_servers import QWEN, ollama
from tests.server.conftest import ADA, Talk


def test_what_can_be_chosen_and_why(serve, script, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "x")
    with serving(ollama()) as local:
        monkeypatch.setenv("OLLAMA_HOST", local.url)
        running = serve(model=script("Hello."))
        before = Talk(running, model=script("Hi."))
        before.say("Hi.")
        before.until()
        found = running.client().get("/api/models").json()
        hers = running.client(ADA).get("/api/models").json()
    choices = {one["name"]: (one["source"], one["ready"]) for one in found["choices"]}
    assert found["models"] == list(choices)
    assert found["default"] == found["models"][0] == running.config.settings.model
    assert choices[found["default"]] == ("default", True)
    assert choices[before.get().json()["model"]] == ("used", True)
    assert choices["groq/openai/gpt-oss-120b"] == ("key", True)
    assert [name for name, (source, _) in choices.items() if source == "local"] == [
        f"ollama/{QWEN}"
    ]
    assert {ready for source, ready in choices.values() if source == "builtin"} == {False}
    assert {one["source"] for one in hers["choices"]} == {"default", "key", "local"}
