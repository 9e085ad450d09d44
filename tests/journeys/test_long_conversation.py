"""A conversation that is longer than the model's window, from the command line."""

import json
import re

import pytest

from support.model_server import ModelServer, called, said

STEPS = 30
GOAL = "Count the words of every chapter and never touch chapter 13."


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


def run(code):
    return called(("execute", json.dumps({"language": "python", "code": code})))


def read_the_log(handler, server):
    """A reply as of a model that misses something: it reads where the digest sends it."""
    where = re.search(r"word for word in (\S+), in files", str(texts(server.requests[-1])))[1]
    run(f"print(open('{where}/0001.md').read()[:1500])")(handler, server)


def texts(request):
    """All that a request says, a text for each message."""
    return [str(message.get("content") or "") for message in request.json["messages"]]


def test_variables_files_and_the_way_to_the_log_survive_compaction(server, interpreter_command):
    server.replies = [
        run("import math\nclass Chapter: pass\ndef words(n): return n\ntotals = {1: 10, 2: 20}"),
        run("open('kept.txt', 'w').write('x'); open('gone.txt', 'w').write('x'); answer = 42"),
        run("import os; os.remove('gone.txt')"),
        *(run(f"print('line {n} ' * 150)") for n in range(STEPS)),
        read_the_log,
        said("Done."),
    ]
    options = ("--model", "openai/x", "--api_base", server.url, "--context_window", "4000")
    done = interpreter_command("-y", *options, GOAL)
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr

    last = texts(server.requests[-1])
    digest = next(text for text in last if "was shortened to save space" in text)
    assert GOAL in digest
    variables = section(digest, "Live variables")
    assert {"totals: dict of 2", "answer: 42", "functions: words", "classes: Chapter"} <= variables
    assert "modules: math, os" in variables
    [file] = section(digest, "Files that were changed")
    assert re.fullmatch(r"- added .*kept\.txt", file)
    assert max(len(request.body) for request in server.requests) < 4000 * 4
    # The log that it points to can be read by code, and has what the request has no more.
    assert f"> {GOAL}" in last[-1]
    assert "line 0 line 0" in last[-1]
    assert not any("line 0 line 0" in text for text in last[:-1])


def section(digest, title):
    """The lines under a title."""
    after = digest.partition(f"## {title}\n")[2]
    return set(after.partition("\n\n")[0].splitlines())
