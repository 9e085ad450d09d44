"""`interpreter --local` at a terminal: a menu of what runs here, and one answer."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Ollama(BaseHTTPRequestHandler):
    """An Ollama with one model."""

    def log_message(self, *arguments):
        pass

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        model = {"name": "tiny-coder:1b", "model": "tiny-coder:1b", "size": 1_000_000_000}
        self.reply({"models": [model], "version": "0.9"})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.reply({"model_info": {}, "details": {}})


@pytest.fixture
def ollama():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ollama)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_model_is_chosen_by_a_part_of_its_name(start, ollama):
    terminal = start(arguments=["--local"], env={"OLLAMA_HOST": ollama}, model=False)
    terminal.wait_for("qwen2.5-coder-1.5b", "built in", "tiny-coder:1b", "Which one?")
    terminal.type("what\n")
    terminal.wait_until(lambda: terminal.everything().count("Which one?") == 2)
    terminal.type("tiny\n")
    terminal.wait_for_prompt()
    terminal.type("%model\n")
    terminal.wait_for("The model is ollama/tiny-coder:1b")


def test_leaving_the_menu_starts_nothing(start, ollama):
    terminal = start(arguments=["--local"], env={"OLLAMA_HOST": ollama}, model=False)
    terminal.wait_for("Which one?")
    terminal.press("C-c")
    assert terminal.wait_for_end() == 130
