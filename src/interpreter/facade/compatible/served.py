"""`AsyncInterpreter.server`: one interpreter on a socket, as programs made for it expect."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import TurnFinished, Usage
from interpreter.protocol.messages import Message
from interpreter.server.access.tokens import OWNER, Tokens, User, load_tokens
from interpreter.server.config import DEFAULT_HOST, DEFAULT_PORT, ServerConfig
from interpreter.server.errors import Refused
from interpreter.server.lmc.narration import Narration
from interpreter.server.lmc.pipe import COMPLETE, Chunk
from interpreter.server.run import NOT_INSTALLED, listening, uvicorn_options

if TYPE_CHECKING:
    from starlette.requests import Request

    from interpreter.facade.compatible.program_app import ProgramApp
    from interpreter.facade.typed.asynchronous import AsyncInterpreter
    from interpreter.server.lmc.routes import LmcRoutes
    from interpreter.server.openai.asked import AskedConversation

OWN = ("auto_run", "verbose", "custom_instructions", "max_output", "messages", "offline", "loop")
OF_THE_MODEL = ("model", "temperature", "max_tokens", "context_window", "supports_vision")


class InterpreterServer:
    """Open Interpreter's protocol, and OpenAI's, around one interpreter. A token is always asked
    for: INTERPRETER_API_KEY, or one that is made and printed; `authenticate` may be replaced."""

    def __init__(
        self, interpreter: AsyncInterpreter, host: str | None = None, port: int | None = None
    ) -> None:
        self.host = host or os.environ.get("INTERPRETER_HOST", DEFAULT_HOST)
        self.port = port or int(os.environ.get("INTERPRETER_PORT", DEFAULT_PORT))
        self.authenticate: Callable[[str], bool] | None = None
        self._interpreter = interpreter
        self._app: ProgramApp | None = None
        self._lmc: LmcRoutes | None = None

    @property
    def app(self) -> ProgramApp:
        """What a web server runs; a program may add requests of its own to it."""
        if self._app is None:
            self._app = self._built()
        return self._app

    def run(self, host: str | None = None, port: int | None = None, retries: int = 5) -> None:
        """Serve until interrupted; of a port that is taken, the next ones are tried."""
        try:
            import uvicorn  # noqa: PLC0415  (an extra)

            app = self.app
        except ModuleNotFoundError as error:
            raise ConfigurationError(NOT_INSTALLED) from error
        self.host, wanted = host or self.host, port or self.port
        for number in range(wanted, wanted + max(1, retries)):
            with contextlib.suppress(ConfigurationError):
                listener = listening(ServerConfig(host=self.host, port=number))
                break
        else:
            raise ConfigurationError(f"No port from {wanted} on can be used.")
        with listener as socket:
            self.port = number
            app.config = self._config()
            assert self._lmc is not None, "the application has it"
            self._lmc.acknowledge = self._interpreter.require_acknowledge
            config = uvicorn.Config(app, **uvicorn_options(self._config()))
            print(f"{self._config().address} (token: {app.tokens.owner_token})", flush=True)  # noqa: T201
            uvicorn.Server(config).run(sockets=[socket])

    def _config(self) -> ServerConfig:
        return ServerConfig(host=self.host, port=self.port)

    def _built(self) -> ProgramApp:
        from starlette.routing import Route  # noqa: PLC0415

        from interpreter.facade.compatible.program_app import ProgramApp  # noqa: PLC0415
        from interpreter.server.app import heartbeat  # noqa: PLC0415
        from interpreter.server.lmc.routes import LmcRoutes  # noqa: PLC0415
        from interpreter.server.openai.chat import completions  # noqa: PLC0415

        root = self._interpreter.work_directory()
        tokens = _AskedTokens(self, load_tokens(root).owner_token, root)
        talk = _InterpreterConversation(self._interpreter)
        insecure = os.environ.get("INTERPRETER_INSECURE_ROUTES", "").lower() == "true"
        self._lmc = LmcRoutes(
            lambda token, address: app.checked(token, address),
            lambda user: talk,
            acknowledge=self._interpreter.require_acknowledge,
            insecure=insecure,
        )
        chat = partial(completions, answer_by=self._answer_by)
        routes = [
            Route("/heartbeat", heartbeat),
            Route("/openai/chat/completions", chat, methods=["POST"]),
            Route("/v1/chat/completions", chat, methods=["POST"]),
            *self._lmc.routes(),
        ]
        app = ProgramApp(routes, self._config(), tokens)
        return app

    @contextlib.asynccontextmanager
    async def _answer_by(
        self, request: Request, model: str, asked: AskedConversation
    ) -> AsyncIterator[_InterpreterAnswer]:
        yield _InterpreterAnswer(self._interpreter)


class _AskedTokens(Tokens):
    """Tokens that the program itself may judge."""

    def __init__(self, server: InterpreterServer, token: str, root: Path) -> None:
        super().__init__(token, root, {})
        self._server, self._root = server, root

    def user(self, token: str) -> User | None:
        if self._server.authenticate is None:
            return super().user(token)
        return User(OWNER, self._root) if self._server.authenticate(token) else None


class _InterpreterConversation:
    """The interpreter as the routes know it."""

    def __init__(self, interpreter: AsyncInterpreter) -> None:
        self._interpreter = interpreter
        self.run_code = interpreter.run_by_hand
        self.workspace = interpreter.work_directory

    async def input(self, chunk: Chunk | bytes) -> None:
        """What the user says; a program may have put a function of its own there meanwhile."""
        await self._interpreter.input(chunk)

    async def output(self) -> Chunk | bytes:
        """The next chunk of the answer."""
        return await self._interpreter.output()

    def shown(self, name: str) -> Any:
        """A setting, or the messages."""
        if name == "llm":
            return {key: getattr(self._interpreter.llm, key) for key in OF_THE_MODEL}
        if name not in OWN:
            raise Refused(404, "missing", f"There is no setting {name!r} here.")
        return getattr(self._interpreter, name)

    async def change(self, given: dict[str, Any]) -> None:
        """Change settings, of those that may be changed from elsewhere."""
        model = given.get("llm", {})
        if not isinstance(model, dict):
            raise Refused(400, "invalid", "'llm' must be an object.")
        unknown = [n for n in given if n not in (*OWN, "llm")]
        unknown += [n for n in model if n not in OF_THE_MODEL]
        if unknown:
            raise Refused(403, "forbidden", f"{unknown[0]!r} cannot be set here.")
        for name, value in given.items():
            if name != "llm":
                setattr(self._interpreter, name, value)
        for name, value in model.items():
            setattr(self._interpreter.llm, name, value)


class _InterpreterAnswer:
    """One answer of the interpreter as text; only the last message is said, it knows the others."""

    def __init__(self, interpreter: AsyncInterpreter) -> None:
        self.usage = Usage()
        self.end = TurnFinished("answered")
        self._interpreter = interpreter

    async def pieces(self, said: Message) -> AsyncIterator[str]:
        """The text, as it comes."""
        start: Chunk = {"role": "user", "type": "message"}
        await self._interpreter.input({**start, "start": True})
        await self._interpreter.input({**start, "content": said.text})
        await self._interpreter.input({**start, "end": True})
        narration, over = Narration(), False
        try:
            while not over:
                chunk = await self._interpreter.output()
                over = chunk == COMPLETE
                if chunk.get("type") == "error":
                    self.end = TurnFinished("failed", str(chunk["content"]))
                yield "".join(narration.pieces(chunk)) if chunk["role"] != "server" else ""
        finally:
            if not over:
                stop = {"role": "user", "type": "command", "content": "stop"}
                await self._interpreter.input(stop)
