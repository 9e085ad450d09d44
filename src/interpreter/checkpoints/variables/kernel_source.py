"""What a Python kernel runs first, so that its variables can be kept."""

from __future__ import annotations

from pathlib import Path

from interpreter.protocol.inside_files import INSIDE, compile_all

_MODULE = "_reploop_variables"
_PARTS = ("values", "pages", "frozen")

KERNEL = f"__import__('sys').modules[{_MODULE!r}].kernel"
"""The object inside that obeys us, as the kernel finds it."""


def bootstrap(exchange: Path, largest_by_value: int) -> str:
    """Source that loads our part into the kernel and leaves no name behind."""
    folder = INSIDE / "variables"
    compile_all(folder)
    inner = (
        "import sys, types\n"
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        "def load(name, part):\n"
        f"    spec = spec_from_file_location(name, {str(folder)!r} + f'/variable_{{part}}.py')\n"
        "    module = sys.modules[name] = module_from_spec(spec)\n"
        "    spec.loader.exec_module(module)\n"
        "    return module\n"
        f"parts = {{name: load('_reploop_' + name, name) for name in {_PARTS!r}}}\n"
        f"module = load({_MODULE!r}, 'checkpoints')\n"
        "module.kernel = module.Kernel(shell, types.SimpleNamespace(**parts), "
        f"{str(exchange)!r}, {largest_by_value})\n"
    )
    return f"exec({inner!r}, {{'shell': get_ipython()}})"
