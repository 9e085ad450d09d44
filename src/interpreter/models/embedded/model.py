"""The built-in model: a file on this machine, llama.cpp in a process beside us, no key."""

from __future__ import annotations

import os
import socket
import tempfile
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from interpreter.models.embedded.catalogue import CatalogueModel, Sampling, catalogue
from interpreter.models.embedded.downloads import HUB, Places, installed
from interpreter.models.embedded.engine_cache import PromptCache
from interpreter.models.embedded.engine_process import EngineOptions, Lease, lease
from interpreter.models.embedded.found_files import is_gguf, usual_homes
from interpreter.models.embedded.machine import Machine, room_for, this_machine
from interpreter.models.http.connection import ServerLine
from interpreter.models.http.provider_errors import Address
from interpreter.models.openai.chat_completions import ChatCompletions, ChatSettings
from interpreter.models.options import Dialect, ModelOptions, Patience, Templates
from interpreter.models.prices import FREE
from interpreter.protocol.errors import ConfigurationError, UnknownModel
from interpreter.protocol.events import ModelEvent, ReplyFinished
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import Capabilities, Request
from interpreter.protocol.values import frozen
from interpreter.settings.paths import data_directory

LEAST_CONTEXT = 4_096
KEEP_WARM = "REPLOOP_KEEP_WARM"
WARM_SECONDS = 300.0
CLOSING_FENCE = "\n```"
DRAFT_TOKENS = {"file": 900}  # what is longer is seldom right
USUAL_DRAFT_TOKENS = 400
DRAFT_TEMPERATURE = {"file": 0.7}  # files differ less from each other than short blocks do
USUAL_DRAFT_TEMPERATURE = 0.4  # enough for other ideas, not so much that they are worse
SEEDS_APART = 1_000
FIRST, OTHERS = 0, 1  # where the state after the system text is, and that of other requests
FEW_THREADS = 2
ASKED = 8  # requests that are remembered, to know what was answered before
LONGEST_DIRECTORY = 70  # bytes, so that a socket in it can have a name
UNKNOWN = CatalogueModel("", "", 0, "", context=32_768, kv_bytes=65_536)


@frozen
class Speech:
    """How the model is spoken to; `seed` makes it say something else."""

    sampling: Sampling = Sampling()
    templates: Templates = Templates()
    patience: Patience = Patience()
    seed: int | None = None
    dialect: Dialect = "fenced"
    frames: bool = True
    """Whether replies are held to the frame that a request asks for."""


class SharedEngine:
    """An engine that is joined when first needed, and again when it ended meanwhile."""

    def __init__(self, options: EngineOptions) -> None:
        self.options = options
        self._lease: Lease | None = None
        self._cache: PromptCache | None = None

    def join(self, interrupt: Interrupt) -> tuple[Lease, PromptCache] | None:
        """The lease and the cache behind it; None when interrupted meanwhile."""
        if self._lease is not None and not _ended(self._lease):
            assert self._cache is not None
            return self._lease, self._cache
        self.close()
        self._lease = lease(self.options, interrupt)
        if self._lease is None:
            return None
        self._cache = PromptCache(self._lease, self.options.cache, self.options.name)
        return self._lease, self._cache

    def close(self) -> None:
        """Give the lease back."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None


class EmbeddedModel:
    """A model of the catalogue, or any file that llama.cpp reads."""

    def __init__(self, name: str, engine: SharedEngine, speech: Speech = Speech()) -> None:  # noqa: B008
        self.name = name
        context = engine.options.context
        output = min(speech.sampling.max_tokens, context // 2)
        self.capabilities = Capabilities(
            tools=speech.dialect != "fenced",
            context_window=context,
            max_output=output,
            local=True,
        )
        self._engine = engine
        self._speech = speech
        self._chat: ChatCompletions | None = None
        self._held: Lease | None = None
        self._system = ""
        self._asked: deque[tuple[str, tuple[Message, ...]]] = deque(maxlen=ASKED)

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Answer the request; the first one starts the engine."""
        joined = self._engine.join(interrupt)
        if joined is None:
            return
        held, cache = joined
        self._system = request.system
        self._asked.append(_words(request))
        chat = self._chat_with(held)
        cache.prepare(request.system, lambda: self._process(request, held, interrupt))
        yield from chat.stream(request, interrupt)

    def varied(self, number: int) -> EmbeddedModel:
        """The same model in another mood: it samples, the more freely the higher the number."""
        return self.sampled(self._own_seed(number), min(0.2 + 0.2 * number, 0.8))

    def sampled(self, seed: int, temperature: float) -> EmbeddedModel:
        """The same model, which samples; the same seed makes it say the same again."""
        sampling = replace(self._speech.sampling, temperature=temperature, top_p=0.95)
        speech = replace(self._speech, sampling=sampling, seed=seed)
        return EmbeddedModel(self.name, self._engine, speech)

    def _own_seed(self, number: int) -> int:
        return (self._speech.seed or 0) * SEEDS_APART + number

    def drafts(self, request: Request, numbers: range, interrupt: Interrupt) -> tuple[Code, ...]:
        """Several blocks for the same request, sampled at once: hardly dearer than one where there
        are processors enough. Other numbers give other blocks. A single one for a request that was
        not answered before is as sure as can be: it differs anyway.

        They are extras: where none can be had, there are none.
        """
        joined = self._engine.join(interrupt) if numbers else None
        if joined is None:
            return ()
        is_new = len(numbers) == 1 and _words(request) not in self._asked
        self._asked.append(_words(request))
        warmth = DRAFT_TEMPERATURE.get(request.frame, USUAL_DRAFT_TEMPERATURE)
        mood = {
            "n": min(len(numbers), self._engine.options.drafts),
            "temperature": 0.0 if is_new else warmth,
            "id_slot": FIRST if request.system == self._system else OTHERS,
            "top_p": 0.95,
            "seed": self._own_seed(numbers.stop),
        }
        tokens = DRAFT_TOKENS.get(request.frame, USUAL_DRAFT_TOKENS)
        ends = {"stop": [CLOSING_FENCE], "max_tokens": tokens}
        with closing(self._connect(joined[0], {**self._parameters(), **mood, **ends})) as chat:
            actions = chat.drafts(request, interrupt)
        return tuple(action for action in actions if isinstance(action, Code))

    @property
    def drafts_together(self) -> int:
        """How many drafts are written hardly slower than one: few cores are busy with one alone."""
        return 2 if self._engine.options.threads > FEW_THREADS else 1

    def close(self) -> None:
        """Give the engine back; others may still use it."""
        if self._chat is not None:
            self._chat.close()
        self._engine.close()

    def _chat_with(self, held: Lease) -> ChatCompletions:
        if self._chat is None or self._held is not held:
            if self._chat is not None:
                self._chat.close()
            self._chat = self._connect(held, self._parameters())
            self._held = held
        return self._chat

    def _process(self, request: Request, held: Lease, interrupt: Interrupt) -> bool:
        """Let the engine read the system text, and say nothing; whether it has read all of it."""
        with closing(self._connect(held, {**self._parameters(), "max_tokens": 1})) as chat:
            events = list(chat.stream(replace(request, messages=()), interrupt))
        return any(isinstance(event, ReplyFinished) for event in events)

    def _connect(self, held: Lease, parameters: dict[str, Any]) -> ChatCompletions:
        address = Address("the built-in model", held.address, self.name, "", is_local=True)
        settings = ChatSettings(
            model=self.name,
            url=f"{held.address}/v1/chat/completions",
            dialect=self._speech.dialect,
            parameters=parameters,
            templates=self._speech.templates,
            patience=self._speech.patience,
            frames=self._speech.frames,
        )
        headers = {"authorization": f"Bearer {held.key}"}
        line = ServerLine(address, headers, self._speech.patience)
        return ChatCompletions(self.name, line, settings, self.capabilities, FREE)

    def _parameters(self) -> dict[str, Any]:
        sampling = self._speech.sampling
        seed = {} if self._speech.seed is None else {"seed": self._speech.seed}
        return {
            "stream": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": True,
            "timings_per_token": True,
            "id_slot": FIRST,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": self.capabilities.max_output,
            **seed,
        }


def open_model(name: str, options: ModelOptions) -> EmbeddedModel:
    """The model that `embedded`, `embedded/NAME` or `embedded/PATH.gguf` means."""
    entry, path = _file_of(name, places(options))
    engine = SharedEngine(engine_options(entry, path, options, this_machine()))
    sampling = entry.sampling
    if options.temperature is not None:
        sampling = replace(sampling, temperature=options.temperature)
    if options.max_tokens is not None:
        sampling = replace(sampling, max_tokens=options.max_tokens)
    templates = options.templates
    if entry.small:  # its own form tells it how to act; see models/small/model.py
        templates = replace(templates, execution_instructions="")
    dialect = options.dialect or entry.dialect
    speech = Speech(sampling, templates, options.patience, dialect=dialect, frames=options.grammar)
    return EmbeddedModel(f"embedded/{entry.name or path.name}", engine, speech)


def places(options: ModelOptions) -> Places:
    """Where model files are kept on this machine; offline, nothing is fetched."""
    homes = usual_homes(Path.home(), dict(options.environ))
    hub = options.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB  # as its own tools take it
    kept = Places(data_directory() / "models", homes, hub)
    return replace(kept, sources=()) if options.offline else kept


def engine_options(
    entry: CatalogueModel, path: Path, options: ModelOptions, machine: Machine
) -> EngineOptions:
    """An engine sized to this machine."""
    wanted = min(options.context_window or entry.context, entry.context)
    context = room_for(machine, path.stat().st_size, entry.kv_bytes, wanted)
    return EngineOptions(
        model=path,
        context=options.context_window or context or LEAST_CONTEXT,
        threads=machine.cores,
        directory=_engine_directory(),
        cache=data_directory() / "prompts",
        keep_warm=_keep_warm(options),
    )


def _keep_warm(options: ModelOptions) -> float:
    """Seconds that an engine waits for its next session."""
    said = options.environ.get(KEEP_WARM, "")
    try:
        return max(0.0, float(said)) if said else WARM_SECONDS
    except ValueError as error:
        raise ConfigurationError(f"{KEEP_WARM} is a number of seconds, not {said!r}.") from error


def _file_of(name: str, kept: Places) -> tuple[CatalogueModel, Path]:
    given = name.partition("/")[2]
    if given.endswith(".gguf"):
        path = Path(given).expanduser().resolve()
        if not is_gguf(path):
            raise ConfigurationError(f"{path} is not a GGUF file that can be read.")
        return UNKNOWN, path
    entry = catalogue().get(name)
    found = installed(entry, kept)
    if found is None:
        size = f"{entry.size / 1e9:.1f} GB"
        command = f"interpreter models pull {entry.name}"
        raise UnknownModel(f"{entry.name} is not on this machine yet; get it ({size}): {command}")
    return entry, found


def _words(request: Request) -> tuple[str, tuple[Message, ...]]:
    return request.system, tuple(request.messages)


def _ended(held: Lease) -> bool:
    """An engine says nothing after its greeting, so anything to read is its end."""
    try:
        held.connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _engine_directory() -> Path:
    """Where engines are met; sockets have no room for long names."""
    usual = Path(tempfile.gettempdir()) / f"reploop-engine-{os.getuid()}"
    if len(os.fsencode(usual)) <= LONGEST_DIRECTORY:
        return usual
    return Path("/tmp", f"{usual.name}-{zlib.crc32(os.fsencode(usual)):08x}")
