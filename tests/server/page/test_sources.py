"""The page's own sources: types from the protocol, and pictures of code that cannot lie."""

import importlib.util
import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.protocol.visible import drawn, sentence, visible

TRICKY = (
    " \t\r\x00\x1b\x7f\x85\xa0\xad\u200b\u200e\u2028\u202e\u3000\ufeff\u0301\u0338\u0e33\u1100"
    "\u3164\ufe0f\U000e0041\u0378⟨⟩⇥␠↪─éeаехес\u037e\u212aﬁ𝐚ａА҉अिאב٣१⁄ǃ+U20E#' שלום سلام с ми"
)
LINES = st.one_of(
    st.text(st.sampled_from(TRICKY), max_size=30),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
).map(lambda text: text.replace("\n", " "))
DRAW = """
import { createInterface } from "node:readline";
const { drawn, visible, sentence } = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  console.log(JSON.stringify([drawn(text), visible(text), sentence(text)]));
}
"""
BUNDLE = """
const { build } = await import("rolldown");
await build({ input: "src/visible.ts", output: { file: process.argv[1], format: "esm" } });
"""


def node(web, program, *arguments, **options):
    command = ["node", "--input-type=module", "-e", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=web, text=True, encoding="utf-8", **options)


@pytest.mark.parametrize("script", ["event_types", "visible_table"])
def test_what_is_written_from_the_protocol_is_up_to_date(web, script):
    place = web.parent / "scripts" / f"{script}.py"
    spec = importlib.util.spec_from_file_location(script, place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.typescript()


def test_the_types_of_the_page_fit(web):
    checked = subprocess.run(
        ["npm", "run", "--silent", "check"], cwd=web, capture_output=True, text=True
    )
    assert checked.stdout + checked.stderr == ""
    assert checked.returncode == 0


@pytest.fixture(scope="module")
def page_draws(web, tmp_path_factory):
    """Draws a text with the page's own rule."""
    target = tmp_path_factory.mktemp("visible") / "visible.mjs"
    assert node(web, BUNDLE, target).wait() == 0
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with node(web, DRAW, target, **pipes) as process:

        def draws(text):
            process.stdin.write(json.dumps(text) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield draws
        process.stdin.close()


@settings(max_examples=1500, deadline=None)
@given(LINES)
def test_the_page_draws_every_text_as_the_terminal_does(page_draws, line):
    assert page_draws(line) == [drawn(line), visible(line), sentence(line)]
