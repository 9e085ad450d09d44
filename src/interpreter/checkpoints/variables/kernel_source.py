"""What a Python kernel runs first, so that its variables can be kept."""

from __future__ import annotations

from pathlib import Path

from interpreter.protocol.inside_files import INSIDE

_MODULE = "_reploop_variables"
_PARTS = ("values", "pages", "frozen")

KERNEL = f"__import__('sys').modules[{_MODULE!r}].kernel"
"""The object inside that obeys us, as the kernel finds it."""


def bootstrap(exchange: Path, largest_by_value: int) -> str:
    """Source that loads our part into the kernel and leaves no name behind."""
    parts = [(name, _source(name)) for name in _PARTS]
    inner = (
        "import sys, types\n"
        "def load(name, source):\n"
        "    module = sys.modules[name] = types.ModuleType(name)\n"
        "    exec(compile(source, f'<{name}>', 'exec'), module.__dict__)\n"
        "    return module\n"
        f"parts = {{name: load('_reploop_' + name, text) for name, text in {parts!r}}}\n"
        f"module = load({_MODULE!r}, {_source('checkpoints')!r})\n"
        "module.kernel = module.Kernel(shell, types.SimpleNamespace(**parts), "
        f"{str(exchange)!r}, {largest_by_value})\n"
    )
    return f"exec({inner!r}, {{'shell': get_ipython()}})"


def _source(part: str) -> str:
    return (INSIDE / "variables" / f"variable_{part}.py").read_text()
