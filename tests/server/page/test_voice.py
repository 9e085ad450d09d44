"""Talking on the page: a microphone that plays a file, an ear and a mouth in the server's form."""

import array
import io
import json
import math
import os
import re
import shutil
import subprocess
import wave

import pytest
from playwright.sync_api import expect
from tests.server.page.conftest import PHONE, run_block, violations
from tests.server.page.test_sources import node
from tests.support.voice_weights import voice_at_home, voice_weights  # noqa: F401

SAID = "Show the mean of the second column."
CODE = "secret_name = 41\nprint(secret_name + 1)"
TOLD = "The answer is **42**. See:\n\n```python\nsecret_name\n```\n\nThat is all."
MODELS = 120_000  # milliseconds; they need seconds where nothing else runs
SPEECH_RATE = 24_000
LISTEN = """\
window.loud = 0;
const levels = new Map();  // of each piece of sound: several are on their way at once
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (target, ...rest) {
  if (target instanceof AudioDestinationNode) {
    const analyser = target.context.createAnalyser();
    connect.call(this, analyser);
    const data = new Float32Array(analyser.fftSize);
    const look = () => {
      analyser.getFloatTimeDomainData(data);
      levels.set(analyser, data.reduce((most, one) => Math.max(most, Math.abs(one)), 0));
      window.loud = Math.max(...levels.values());
      window.loudest = Math.max(window.loudest ?? 0, window.loud);
      setTimeout(look, 10);
    };
    look();
  }
  return connect.call(this, target, ...rest);
};
"""
AWAKE = """\
navigator.wakeLock.request = async () => {
  window.awake = true;
  return { release: async () => { window.awake = false; } };
};
"""
SILENT_AFTER = """async () => {
  const button = document.querySelector('.talk');
  const begun = performance.now();
  button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerId: 1 }));
  while (window.loud > 0.001) await new Promise((done) => setTimeout(done, 5));
  return performance.now() - begun;
}"""
CUT = """
import { createInterface } from "node:readline";
const { Sentences } = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  const sentences = new Sentences(), said = [];
  for (const letter of JSON.parse(line)) said.push(...sentences.add(letter));
  console.log(JSON.stringify([...said, ...sentences.end()]));
}
"""
BUNDLE = """
const { build } = await import("rolldown");
await build({ input: "src/voice/sentences.ts", output: { file: process.argv[1], format: "esm" } });
"""


def tone(seconds, rate):
    """Something that is not silent."""
    wanted = (math.sin(n * 440 * 2 * math.pi / rate) for n in range(int(seconds * rate)))
    return array.array("h", (int(12_000 * value) for value in wanted))


@pytest.fixture(scope="module")
def browser_flags(tmp_path_factory):
    said = tmp_path_factory.mktemp("said") / "said.wav"
    if shutil.which("espeak-ng") is None:
        pytest.fail("espeak-ng is not installed; scripts/test-packages.txt names the package")
    subprocess.run(["espeak-ng", "-s", "140", "-w", said, SAID], check=True)
    return ["--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={said}"]


class Voice:
    """An ear that understands by how long somebody talked, and a mouth that hums."""

    def __init__(self, context):
        self.heard, self.said = [], []
        self.seconds = 0.4
        context.add_init_script(LISTEN)
        context.route("**/v1/audio/transcriptions", self._hear)
        context.route("**/v1/audio/speech", self._say)

    def _hear(self, route):
        body = route.request.post_data_buffer
        recording = body[body.index(b"RIFF") : body.rindex(b"\r\n--", 0, body.rindex(b"\r\n--"))]
        with wave.open(io.BytesIO(recording)) as file:
            samples = array.array("h", file.readframes(file.getnframes()))
            seconds = file.getnframes() / file.getframerate()
            self.heard.append((file.getframerate(), file.getnchannels(), max(samples) > 1000))
        route.fulfill(json={"text": "plot it" if seconds < 1.5 else "plot it in blue"})

    def _say(self, route):
        asked = json.loads(route.request.post_data)
        self.said.append(asked["input"])
        route.fulfill(body=tone(self.seconds, SPEECH_RATE).tobytes(), content_type="audio/pcm")


@pytest.fixture
def talking(visit):
    """A page on which somebody can talk."""

    def begin(*replies, **options):
        someone = visit(*replies, permissions=["microphone"], **options)
        voice = Voice(someone.context)
        return someone.page(), voice

    return begin


def test_hold_speak_see_correct_send_approve_hear(talking, web):
    page, voice = talking({"text": "I *add*.", "code": CODE}, TOLD)
    button = page.get_by_role("button", name="Talk")
    message = page.get_by_label("Message")
    button.hover()
    page.mouse.down()
    expect(page.locator(".listening")).to_contain_text("plot it")  # before the button is let go
    page.wait_for_function("() => document.querySelector('.listening meter').value > 0.3")
    assert violations(page, web) == []
    page.wait_for_timeout(1700)  # as long as somebody talks
    page.mouse.up()
    expect(message).to_have_value("plot it in blue")
    assert set(voice.heard) == {(16_000, 1, True)}
    message.fill("plot it in green")
    message.press("Enter")
    expect(page.locator(".said")).to_contain_text("plot it in green")
    run_block(page)
    expect(page.get_by_text("That is all.", exact=True)).to_be_visible()
    page.wait_for_function("() => window.loudest > 0.1")
    expect(page.get_by_role("button", name="Speak answers")).to_have_attribute(
        "aria-pressed", "true"
    )
    said = [
        *("I add.", "May 2 lines of python run?", "It ran."),
        *("The answer is 42.", "See:", "That is all."),
    ]
    page.wait_for_function("() => window.loud < 0.001")
    assert voice.said == said


@pytest.mark.skipif(
    "ALL_SENTENCES" not in os.environ,
    reason="sound in real time wants the machine for itself: `make test-voice`",
)
def test_the_servers_own_ear_and_mouth(voice_at_home, visit):  # noqa: F811
    someone = visit("It is **forty two**.", permissions=["microphone"])
    someone.context.add_init_script(LISTEN)
    page = someone.page()
    page.locator("body").press("m")
    page.wait_for_function("() => document.querySelector('.listening meter')?.value > 0.3")
    page.wait_for_timeout(3500)  # as long as somebody talks
    page.locator("body").press("m")
    understood = re.compile("second column", re.IGNORECASE)
    expect(page.get_by_label("Message")).to_have_value(understood, timeout=MODELS)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".prose")).to_have_text("It is forty two.")
    page.wait_for_function("() => window.loudest > 0.05", timeout=MODELS)


def test_whoever_talks_silences_the_answer_at_once(talking):
    page, voice = talking("This is a long answer. It goes on.", "Two. Three.")
    page.context.add_init_script(AWAKE)
    page.reload()
    expect(page.get_by_label("Message")).to_be_visible()  # keys count from now on
    voice.seconds = 20
    page.locator("body").press("m")
    expect(page.locator(".listening")).to_contain_text("plot it")
    page.wait_for_function("() => window.awake === true")
    page.locator("body").press("m")
    expect(page.get_by_label("Message")).to_have_value(re.compile("plot it"))
    page.wait_for_function("() => window.awake === false")
    page.get_by_role("button", name="Send").click()
    page.wait_for_function("() => window.loud > 0.1")
    assert page.evaluate("navigator.mediaSession.playbackState") == "playing"
    assert page.evaluate(SILENT_AFTER) <= 300
    assert page.evaluate("navigator.mediaSession.playbackState") == "none"
    expect(page.locator(".listening")).to_be_visible()
    page.wait_for_timeout(300)
    assert page.evaluate("window.loud") < 0.001  # and nothing of the rest is said later


def test_what_comes_while_somebody_talks_is_not_said(talking):
    page, voice = talking({"text": "I add.", "code": CODE}, "It is 42.", "Good.")
    page.locator("body").press("m")
    expect(page.locator(".listening")).to_contain_text("plot it")
    page.locator("body").press("m")
    expect(page.get_by_label("Message")).to_have_value(re.compile("plot it"))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("group", name="May this run?")).to_be_visible()
    page.wait_for_function("() => window.loudest > 0.1")
    page.locator("body").press("m")
    expect(page.locator(".listening")).to_contain_text("plot it")
    already = list(voice.said)
    run_block(page)
    expect(page.get_by_text("It is 42.", exact=True)).to_be_visible()
    page.locator("body").press("m")
    expect(page.get_by_label("Message")).to_have_value(re.compile("plot it"))
    assert voice.said == already
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Good.", exact=True)).to_be_visible()
    page.wait_for_function("() => window.loud > 0.1")
    assert voice.said == [*already, "Good."]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("Object.defineProperty(window, 'isSecureContext', { value: false })", "--tls"),
        ("", "may not use the microphone"),
    ],
    ids=["insecure", "refused"],
)
def test_a_page_without_a_microphone_says_why(visit, broken, told):
    someone = visit("Hello.", **PHONE)
    someone.context.add_init_script(broken)
    page = someone.page()
    page.get_by_role("button", name="Talk").tap()
    expect(page.locator(".toast")).to_contain_text(told)
    expect(page.locator(".listening")).to_have_count(0)


def test_sentences_are_said_as_they_are_complete_and_code_never(web, tmp_path):
    bundle = tmp_path / "sentences.mjs"
    assert node(web, BUNDLE, bundle).wait() == 0
    cases = {
        "It is 3.5 metres. Good!": ["It is 3.5 metres.", "Good!"],
        "# Head\n\nSee `a_b` and `rm -rf /`.\n\n- one\n- two": [
            *("Head", "See a b and some code.", "one", "two"),
        ],
        "Before.\n```python\nx = 1. \ny = 2.\n```\nAfter [this](https://e.example/x).": [
            *("Before.", "After this."),
        ],
        "| a | b |\n|---|---|\n| 1. | 2. |\n\nDone": ["Done"],
        "~~~\nnever ends. really.": [],
    }
    lines = "".join(json.dumps(text) + "\n" for text in cases)
    pipes = {"stdin": -1, "stdout": -1}
    with node(web, CUT, bundle, **pipes) as process:
        out, _ = process.communicate(lines)
    assert [json.loads(line) for line in out.splitlines()] == list(cases.values())
