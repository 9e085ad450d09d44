"""The other hundred providers, through LiteLLM, which is only imported when one is asked for."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from interpreter.models.callable import CallableModel, Chunks, as_dictionary
from interpreter.models.http.connection import is_local
from interpreter.models.http.provider_errors import Address, Transient, no_answer, refusal
from interpreter.models.http.retries import persevere
from interpreter.models.openai.opening import capabilities
from interpreter.models.options import ModelOptions
from interpreter.models.prices import FREE, facts_about
from interpreter.protocol.errors import ConfigurationError, ModelError, install_command
from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Request

_END = object()

_INSTALL = install_command("litellm")
_QUIET = {
    "telemetry": False,
    "suppress_debug_info": True,
    "drop_params": True,
    "turn_off_message_logging": True,
}
_CLASSES = {
    "AuthenticationError": 401,
    "PermissionDeniedError": 403,
    "NotFoundError": 404,
    "RateLimitError": 429,
    "ContextWindowExceededError": 413,
    "BudgetExceededError": 402,
    "BadRequestError": 400,
    "UnsupportedParamsError": 400,
}


def open_model(name: str, options: ModelOptions) -> LiteLLMModel:
    """The model of that name in LiteLLM's own naming, with or without `litellm/` before it."""
    if options.offline and not options.api_base:
        raise ConfigurationError(f"offline is on, and {name} is not on this machine.")
    return LiteLLMModel(name, load(name), options)


def load(name: str = "") -> Any:
    """The library, with everything off that phones anywhere but the model."""
    # Read when the library is imported: without it, every start fetches a price map.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    try:
        litellm = importlib.import_module("litellm")
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{_unknown(name)}LiteLLM is not installed: {_INSTALL}") from error
    for setting, value in _QUIET.items():
        setattr(litellm, setting, value)
    return litellm


def _unknown(name: str) -> str:
    """A name that nobody else answers to may as well be misspelt."""
    known = "gpt-…, claude-…, ollama/NAME or embedded"
    return f"There is no model {name!r} among {known}; for others, " if name else ""


class LiteLLMModel:
    """A model behind LiteLLM."""

    def __init__(self, name: str, litellm: Any, options: ModelOptions) -> None:
        model = name.removeprefix("litellm/")
        facts = facts_about(model)
        self.name = name
        local = is_local(options.api_base or "")
        self.capabilities = capabilities(model, facts, options, local=local)
        self._litellm = litellm
        self._patience = options.patience
        self._address = Address(model.partition("/")[0], options.api_base or model, model)
        if model.startswith("cohere") and options.dialect is None:
            # LiteLLM 1.106 loses the arguments of Cohere's streamed calls.
            options = replace(options, dialect="fenced")
        price = FREE if local else facts.price
        self._inner = CallableModel(self._call, options, self.capabilities, model, price)
        self.dialect = self._inner.dialect

    def stream(self, request: Request, interrupt: Interrupt) -> Generator[ModelEvent, None, None]:
        """Answer the request."""
        attempts = persevere(
            lambda asked: self._inner.stream(asked, interrupt), request, interrupt, self._patience
        )
        with closing(attempts) as events:
            yield from events

    def close(self) -> None:
        """LiteLLM keeps its connections to itself."""

    def _call(self, arguments: dict[str, Any], interrupt: Interrupt) -> Chunks:
        arguments = {**arguments, "num_retries": 0, "stream_options": {"include_usage": True}}
        pump = _Pump(lambda: self._litellm.completion(**arguments))
        try:
            with interrupt.calls(pump.wake):
                yield from pump.chunks()
        except ModelError:
            raise
        except Exception as error:
            raise self._translated(error) from error
        finally:
            pump.stop()

    def _translated(self, error: Exception) -> Exception:
        if isinstance(error, ImportError):
            return ConfigurationError(f"LiteLLM lacks a part ({error}): {_INSTALL}")
        status = _CLASSES.get(type(error).__name__) or getattr(error, "status_code", None)
        if type(error).__name__ in ("APIConnectionError", "Timeout"):
            return Transient(no_answer(self._address, str(error)[:200]))
        if not isinstance(status, int):
            return ModelError(f"LiteLLM failed for {self.name}: {error!r}")
        return refusal(self._address, status, str(error).encode(), {})


class _Pump:
    """Reads a blocking iterator on a thread of its own, so that an interrupt can leave it."""

    def __init__(self, start: Callable[[], Iterable[Any]]) -> None:
        self._start = start
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._stopped = threading.Event()

    def chunks(self) -> Chunks:
        """The chunks as dictionaries, until the end or until somebody wakes us."""
        threading.Thread(target=self._run, name="litellm", daemon=True).start()
        while (item := self._queue.get()) is not _END:
            if isinstance(item, Exception):
                raise item
            yield as_dictionary(item)

    def wake(self) -> None:
        """End the iteration; safe in a signal handler."""
        self._queue.put(_END)

    def stop(self) -> None:
        """Let the thread end at the next chunk."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            for chunk in self._start():
                if self._stopped.is_set():
                    return
                self._queue.put(chunk)
        except Exception as error:  # noqa: BLE001 - handed to the waiting thread as it is
            self._queue.put(error)
        self._queue.put(_END)
