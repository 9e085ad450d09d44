"""The built-in model: how soon it speaks, and how fast, against bare llama.cpp on the same file."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from bench.table import show

TOKENS = 48
TURNS = 3  # of each, one after the other; the best counts, since the machine may be busy
SYSTEM = "You tell long stories in plain sentences, without lists and without code. " * 20
QUESTION = "Tell me about the keeper of a lighthouse."
BARE = """
import json, os, sys, xllamacpp
path, threads, context, system, question, tokens = json.loads(sys.argv[1])
options = xllamacpp.CommonParams()
options.model.path, options.n_ctx, options.verbosity = path, context, 0
options.n_parallel, options.warmup, options.fit_params = 1, False, False
options.cpuparams.n_threads = options.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(options)
messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
request = {"messages": messages, "max_tokens": tokens, "temperature": 0}
for line in sys.stdin:
    print(server.handle_chat_completions(request)["timings"]["predicted_per_second"], flush=True)
os._exit(0)
"""


def main():
    from interpreter.models.embedded.download_parts import DownloadFailed

    try:
        entry, path = _model()
    except DownloadFailed as failure:
        print(f"\nThe built-in model: not measured, {failure}")
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        options = _options(entry, path, Path(directory))
        rows = [("what", "measured", "baseline", "ratio", "goal"), *_rows(options)]
    show(f"The built-in model ({entry.name})", rows)


def _model():
    from interpreter.models.embedded.catalogue import catalogue
    from interpreter.models.embedded.downloads import fetch
    from interpreter.models.embedded.model import places
    from interpreter.models.options import ModelOptions

    entry = catalogue().get()
    return entry, fetch(entry, places(ModelOptions()))


def _options(entry, path, directory):
    from interpreter.models.embedded.machine import this_machine
    from interpreter.models.embedded.model import engine_options
    from interpreter.models.options import ModelOptions

    usual = engine_options(entry, path, ModelOptions(context_window=4096), this_machine())
    return replace(usual, directory=directory / "run", cache=directory / "cache", keep_warm=0.0)


def _rows(options):
    first, _ = _session(options)
    elsewhere = replace(options, directory=options.directory.with_name("anew"))
    second, _ = _session(elsewhere)  # the first engine may not have gone yet, and would be joined
    with _kept(options), _bare(options) as bare:
        _session(options)
        pairs = [(_session(options), bare()) for _ in range(TURNS)]
    warm = min(seconds for (seconds, _), _ in pairs)
    speed, fastest = max(speed for (_, speed), _ in pairs), max(speed for _, speed in pairs)
    yield _row("first session, first token", first, first, "s", "-")
    yield _row("second session, engine started anew", second, first, "s", "-")
    yield _row("second session, engine kept warm", warm, first, "s", "<= 1.5 s when idle")
    yield _row("tokens per second against bare llama.cpp", speed, fastest, "/s", ">= 0.9")


def _row(what, measured, baseline, unit, goal):
    ratio = f"{measured / baseline:.2f}"
    return (what, f"{measured:.2f} {unit}", f"{baseline:.2f} {unit}", ratio, goal)


def _kept(options):
    """A lease that keeps the engine running, as other sessions and the waiting time do."""
    from interpreter.models.embedded.engine_process import lease
    from interpreter.protocol.interrupt import Interrupt

    return closing(lease(options, Interrupt()))


def _session(options):
    """Seconds to the first token, and tokens per second after it."""
    from interpreter.models.embedded.catalogue import Sampling
    from interpreter.models.embedded.model import EmbeddedModel, SharedEngine, Speech
    from interpreter.protocol.events import ReplyFinished
    from interpreter.protocol.interrupt import Interrupt
    from interpreter.protocol.messages import user_says
    from interpreter.protocol.ports import Request

    model = EmbeddedModel("bench", SharedEngine(options), Speech(Sampling(max_tokens=TOKENS)))
    start = time.perf_counter()
    first, tokens = 0.0, 0
    for event in model.stream(Request(SYSTEM, (user_says(QUESTION),)), Interrupt()):
        first = first or time.perf_counter()
        tokens = event.usage.output if isinstance(event, ReplyFinished) else tokens
    end = time.perf_counter()
    model.close()
    return first - start, (tokens - 1) / max(1e-9, end - first)


@contextmanager
def _bare(options):
    """A function that says how fast llama.cpp alone is, in a process like that of our engine."""
    from interpreter.models.embedded.engine_process import CALM

    words = [str(options.model), options.threads, options.context, SYSTEM, QUESTION, TOKENS]
    command = [sys.executable, "-c", BARE, json.dumps(words)]
    pipe, environment = subprocess.PIPE, {**CALM, **os.environ}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:

        def speed():
            process.stdin.write("again\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        speed()  # as warm as ours
        yield speed
        process.stdin.close()


if __name__ == "__main__":
    main()
