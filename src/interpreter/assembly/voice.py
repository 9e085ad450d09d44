"""The voice that the settings ask for: an ear and a mouth, here or on a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.assembly.model_choice import model_options
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.voice import Ear, Mouth, VoiceError
from interpreter.settings.settings import Settings

if TYPE_CHECKING:
    from interpreter.voice.hosted import AudioServer
    from interpreter.voice.kokoro import KokoroMouth

PULL = "Its files are not here yet; get them with: interpreter models pull voice"
SYSTEM = "system"


def open_ear(settings: Settings) -> Ear:
    """What hears; its weights are loaded when it first does."""
    if settings.voice_ear:
        from interpreter.voice.hosted import HostedEar

        return HostedEar(_server(settings, settings.voice_ear, "voice_ear"))
    directory = weights(settings, "whisper-base")
    if directory is None:
        raise VoiceError(f"Nothing here can listen. {PULL}")
    return _whisper(directory)


def open_mouth(settings: Settings, tell: Callable[[str], object]) -> Mouth:
    """What speaks; without weights, the system's own voice does, and that is told."""
    from interpreter.voice.espeak import EspeakMouth
    from interpreter.voice.mouths import ManyTongues, system_mouth

    if settings.voice_mouth == SYSTEM:
        return system_mouth()
    if settings.voice_mouth:
        from interpreter.voice.hosted import HostedMouth

        server = _server(settings, settings.voice_mouth, "voice_mouth")
        return HostedMouth(server, settings.voice_name)
    directory = weights(settings, "kokoro-82m")
    if directory is None or not _has_engine():
        mouth = system_mouth()
        tell(f"{mouth.name} speaks; a better voice comes with: interpreter models pull voice")
        return mouth
    return ManyTongues(_kokoro(directory), EspeakMouth(), tell)


def weights(settings: Settings, name: str) -> Path | None:
    """The directory with a part of the voice; None when it is not all there."""
    from interpreter.models.embedded.catalogue import catalogue
    from interpreter.models.embedded.downloads import installed
    from interpreter.models.embedded.model import places

    kept = places(model_options(settings))
    files = [file for file in catalogue().voice if file.name == name]
    paths = [installed(file, kept) for file in files]
    return paths[0].parent if paths and paths[0] and all(paths) else None


def _has_engine() -> bool:
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None


@cache
def _whisper(directory: Path) -> Ear:
    """One for all who listen: it holds hundreds of megabytes."""
    from interpreter.voice.whisper import WhisperEar

    return WhisperEar(directory)


@cache
def _kokoro(directory: Path) -> KokoroMouth:
    from interpreter.voice.kokoro import KokoroMouth

    return KokoroMouth(directory)


def _server(settings: Settings, name: str, setting: str) -> AudioServer:
    """Where a hosted ear or mouth is, by the same names as models have."""
    from interpreter.models.providers import PROVIDERS
    from interpreter.settings.keys import find_key
    from interpreter.voice.hosted import AudioServer

    if settings.offline:
        raise VoiceError(f"{setting!r} names a server, and --offline asks for none.")
    prefix, _, model = name.partition("/")
    provider = PROVIDERS.get(prefix)
    if provider is None or not model:
        raise ConfigurationError(f"{setting!r} is written as provider/model; not {name!r}.")
    own = next((os.environ[n] for n in provider.base_names if os.environ.get(n)), "")
    base = settings.voice_api_base or own or provider.base
    key = os.environ.get(provider.key_name, "") or find_key(prefix) if provider.key_name else ""
    return AudioServer(base, key, model)
