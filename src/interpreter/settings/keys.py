"""API keys: in the system's keyring where there is one, else in a file that only you can read."""

from __future__ import annotations

import json
import os
import stat
from importlib import import_module
from pathlib import Path
from typing import Any

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.paths import APPLICATION, config_directory

SECRET_MODE = 0o600
KEY_NAMES = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "xai": "XAI_API_KEY",
    "together": "TOGETHER_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "cerebras": "CEREBRAS_API_KEY",
    "moonshot": "MOONSHOT_API_KEY",
    "azure": "AZURE_API_KEY",
    "brave": "BRAVE_API_KEY",
}
"""The environment variable that holds each provider's key."""


def keep_key(provider: str, key: str) -> str:
    """Keep a provider's key; where it went."""
    ring = _keyring()
    if ring is not None:
        ring.set_password(APPLICATION, provider, key)
        return "the system keyring"
    keys = {**_read(), provider: key}
    _write(keys)
    return str(_file())


def find_key(provider: str) -> str:
    """The key that was kept for a provider; empty when there is none."""
    ring = _keyring()
    kept = ring.get_password(APPLICATION, provider) if ring is not None else None
    return kept or _read().get(provider, "")


def kept_keys() -> dict[str, str]:
    """The kept keys as the environment variables that providers' programs read."""
    names = {name for name in _read() if " " not in name}  # others are no providers
    kept = {provider: find_key(provider) for provider in {*KEY_NAMES, *names}}
    return {key_name(provider): key for provider, key in kept.items() if key}


def key_name(provider: str) -> str:
    """The environment variable of a provider's key."""
    return KEY_NAMES.get(provider, f"{provider.upper()}_API_KEY")


def forget_key(provider: str) -> bool:
    """Forget a provider's key; whether there was one."""
    found = bool(find_key(provider))
    ring = _keyring()
    if ring is not None and ring.get_password(APPLICATION, provider):
        ring.delete_password(APPLICATION, provider)
    keys = _read()
    if keys.pop(provider, None) is not None:
        _write(keys)
    return found


def kept_in_file() -> tuple[str, ...]:
    """The providers whose keys are in our file; a keyring cannot be listed."""
    return tuple(sorted(_read()))


def _keyring() -> Any | None:
    """The keyring package, where it is installed and has a real store behind it."""
    try:
        ring = import_module("keyring")
        backend = ring.get_keyring()
    except (ImportError, RuntimeError):
        return None
    return ring if getattr(backend, "priority", 0) >= 1 else None


def _file() -> Path:
    return config_directory() / "keys.json"


def _read() -> dict[str, str]:
    path = _file()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"Cannot read the keys in {path}: {error}.") from error
    if mode & 0o077:
        raise ConfigurationError(f"Others can read {path}; run: chmod 600 {path}")
    if not isinstance(content, dict):
        raise ConfigurationError(f"The keys in {path} are not a mapping.")
    return {str(name): str(key) for name, key in content.items()}


def _write(keys: dict[str, str]) -> None:
    path = _file()
    draft = path.with_suffix(".new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, SECRET_MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(keys, file)
        draft.replace(path)
    except OSError as error:
        raise ConfigurationError(f"Cannot keep the key in {path}: {error}.") from error
