"""Who watches the blocks and tools of a session: made anew for each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.calls import MOST_LINES
from interpreter.protocol.lazy import Lazy

if TYPE_CHECKING:
    from interpreter.assembly.cell.contents import CellContents
    from interpreter.policies.autorun import AutorunGuard
    from interpreter.policies.env_files import SecretsNow
    from interpreter.policies.secrets import Secrets
    from interpreter.tools.guarded import Guard


class BlockGuards:
    """What guards know from one block to the next: secrets, files that run themselves, news."""

    def __init__(self, workspace: Path, contents: Callable[[], CellContents]) -> None:
        self._workspace = workspace
        self._contents = contents
        self._news: list[str] = []
        self._autorun = Lazy(self._make_autorun)
        self._secrets = Lazy(self._make_secrets)

    def of_block(self) -> Guard:
        """Who watches one block."""
        from interpreter.assembly.cell import guards

        contents, workspace = self._contents(), self._workspace
        found: list[Guard] = [guards.News(self._news)] if self._news else []
        found.append(guards.SecretGuard(self.secrets()))
        if walls := contents.walls:
            found += [
                guards.HostGuard(walls.permissions.gate),
                guards.PassingFiles(walls.cell),
                guards.PathGuard(walls.grants, walls.permissions.session, workspace),
            ]
        found.append(guards.AutorunWatch(self._autorun.get(), workspace, contents.journal))
        return guards.GuardChain(*found)

    def of_tool(self) -> Guard:
        """Who watches a tool that runs no code of the model's."""
        from interpreter.assembly.cell.guards import SecretGuard

        return SecretGuard(self.secrets())

    def secrets(self) -> Secrets:
        """What is to be shown to nobody."""
        return self._secrets.get().get()

    def add_news(self, text: str) -> None:
        """Something that the model is told with the next block."""
        self._news.append(text)

    def called_in_background(self, line: str) -> None:
        """Code called the host while no block ran: the next one tells it, of the first calls."""
        if len(self._news) < MOST_LINES:
            self.add_news(f"called in the background: {line}")

    def close(self) -> None:
        """Let go of the workspace."""
        if self._autorun.made is not None:
            self._autorun.made.close()

    def _make_autorun(self) -> AutorunGuard:
        from interpreter.policies.autorun import AutorunGuard

        return AutorunGuard(self._workspace)

    def _make_secrets(self) -> SecretsNow:
        from interpreter.policies.env_files import SecretsNow

        return SecretsNow(self._workspace)
