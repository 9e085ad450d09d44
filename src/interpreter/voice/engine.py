"""onnxruntime, set up for a machine that has other things to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import install_command
from interpreter.protocol.voice import VoiceError

MOST_THREADS = 4
NOT_INSTALLED = f"Listening and speaking need more packages: {install_command('voice')}."


def cpu_session(model: Path | bytes) -> Any:
    """A model, ready to run: few threads, which sleep while they wait."""
    try:
        import onnxruntime  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise VoiceError(NOT_INSTALLED) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # A plan of memory is made for each length of input, and sentences have many lengths.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model if isinstance(model, bytes) else str(model),
        options,
        providers=["CPUExecutionProvider"],
        provider_options=[{"arena_extend_strategy": "kSameAsRequested"}],
    )


def new_run() -> Any:
    """What ends a run of a model before it is through, once its `terminate` is true."""
    import onnxruntime  # noqa: PLC0415  (an extra, which has loaded the model)

    run = onnxruntime.RunOptions()
    run.log_severity_level = 4  # to be ended is no error
    return run
