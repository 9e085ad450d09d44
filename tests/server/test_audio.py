"""OpenAI's own client speaks, and hears what was said."""

import io

import pytest
from tests.server.conftest import OWNER
from tests.support.voice_weights import voice_at_home, voice_weights  # noqa: F401

from interpreter.protocol.voice import Sound
from interpreter.voice.wav import as_wav, header, read_wav

SENTENCE = "Show the mean of the second column."


@pytest.fixture
def client(serve, openai):
    running = serve()
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key=OWNER, max_retries=0) as made:
        yield made


def said_by(client, **options):
    asked = {"model": "tts-1", "voice": "alloy", "input": SENTENCE, "response_format": "wav"}
    return client.audio.speech.create(**{**asked, **options})


def heard_by(client, wav, **options):
    file = ("speech.wav", wav, "audio/wav")
    return client.audio.transcriptions.create(model="whisper-1", file=file, **options)


def test_what_is_said_is_heard_again(voice_at_home, client):  # noqa: F811
    events = list(heard_by(client, said_by(client).content, stream=True))
    assert [event.type for event in events[-2:]] == [
        "transcript.text.delta",
        "transcript.text.done",
    ]
    assert events[-1].text.lower().strip(".!") == SENTENCE.lower().strip(".")
    silence = as_wav(Sound(bytes(64_000), 16_000))
    assert heard_by(client, silence).text == ""


def test_without_weights_the_systems_voice_speaks_and_the_ear_says_what_is_missing(client, openai):
    wav, pcm = said_by(client).content, said_by(client, response_format="pcm").content
    sound = read_wav(wav)
    assert (sound.rate, sound.samples) == (24_000, pcm)
    assert sound.seconds > 1
    with pytest.raises(openai.UnprocessableEntityError, match="interpreter models pull voice"):
        heard_by(client, wav)


@pytest.mark.parametrize(("options", "said"), [
    ({"response_format": "mp3"}, "one of wav, pcm"),
    ({"input": ""}, "1 to 4096"),
    ({"input": "a" * 5000}, "1 to 4096"),
    ({"speed": 100}, "0.25 to 4"),
])  # fmt: skip
def test_what_cannot_be_said_is_told(client, options, said, openai):
    with pytest.raises(openai.BadRequestError, match=said):
        said_by(client, **options)


def test_nothing_to_say_is_an_empty_sound(client):
    assert said_by(client, input="```\ncode\n```").content == header(24_000)


@pytest.mark.parametrize(("data", "said"), [
    (b"OggS" + bytes(200), "not a WAV file"),
    (as_wav(Sound(bytes(200)))[:40], "ends before any"),
])  # fmt: skip
def test_what_is_no_recording_is_told(client, data, said, openai):
    with pytest.raises(openai.UnprocessableEntityError, match=said):
        heard_by(client, data)


def test_a_recording_of_two_hours_is_refused(serve):
    http = serve().client()
    two_hours = io.BytesIO(bytes(40 << 20))
    answer = http.post("/v1/audio/transcriptions", files={"file": ("long.wav", two_hours)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_stranger_neither_speaks_nor_listens(serve):
    stranger = serve().client(token="")
    for path in ("speech", "transcriptions"):
        assert stranger.post(f"/v1/audio/{path}", json={}).status_code == 401
