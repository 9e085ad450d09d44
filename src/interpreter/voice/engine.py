"""onnxruntime, set up for a machine that has other things to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from interpreter.protocol.voice import VoiceError

MOST_THREADS = 4
NOT_INSTALLED = "Listening and speaking need more packages: pip install 'reploop[voice]'."


def session_options(*, arena: bool = False) -> Any:
    """Few threads that sleep while they wait; without an arena, memory goes back after each run."""
    try:
        import onnxruntime  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise VoiceError(NOT_INSTALLED) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = arena
    options.log_severity_level = 3
    return options


def cpu_session(path: Path) -> Any:
    """A model, ready to run."""
    options = session_options()
    import onnxruntime  # noqa: PLC0415

    # More would turn weights of 16 bits into 32 beforehand: twice the memory, and no faster.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
