"""Model files that the user has already: from Ollama, LM Studio, Hugging Face, or a llamafile."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from interpreter.models.embedded.catalogue import CatalogueModel
from interpreter.protocol.values import frozen

LOOKED_AT = 5_000  # files of a store that are looked at, at most
MODEL_LAYER = "application/vnd.ollama.image.model"


@frozen
class Homes:
    """The directories in which other programs keep models."""

    ollama: tuple[Path, ...] = ()
    lm_studio: tuple[Path, ...] = ()
    huggingface: tuple[Path, ...] = ()
    llamafiles: tuple[Path, ...] = ()


def usual_homes(home: Path, environ: dict[str, str]) -> Homes:
    """Where these programs keep models when nobody told them otherwise."""
    hub = Path(environ.get("HF_HOME", home / ".cache" / "huggingface")) / "hub"
    ollama = [Path(environ["OLLAMA_MODELS"])] if environ.get("OLLAMA_MODELS") else []
    return Homes(
        ollama=(*ollama, home / ".ollama/models", Path("/usr/share/ollama/.ollama/models")),
        lm_studio=(home / ".lmstudio/models", home / ".cache/lm-studio/models"),
        huggingface=(hub,),
        llamafiles=(home / "llamafiles", home / "Downloads"),
    )


def found_file(model: CatalogueModel, directory: Path, homes: Homes) -> Path | None:
    """A file that is this model, in any of the stores; a llamafile is unpacked into `directory`."""
    for path in _candidates(model, homes):
        if _readable(path, model):
            return path
    return _from_llamafile(model, directory, homes)


def _candidates(model: CatalogueModel, homes: Homes) -> Iterator[Path]:
    for store in homes.ollama:
        yield from _in_ollama(model, store)
    for store in homes.lm_studio:
        yield from _by_name(store, model.file)
    for store in homes.huggingface:
        folder = f"models--{model.huggingface.replace('/', '--')}"
        yield from _by_name(store / folder / "snapshots", model.file)


def _readable(path: Path, model: CatalogueModel) -> bool:
    """Whether it can be opened and, where the exact file is known, has its size."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    same = size == model.size or not model.sha256 or path.name.startswith("sha256-")
    return same and os.access(path, os.R_OK) and is_gguf(path)


def is_gguf(path: Path) -> bool:
    """Whether a file begins as llama.cpp's model files do."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


def _in_ollama(model: CatalogueModel, store: Path) -> Iterator[Path]:
    """Ollama names a blob by its hash; a manifest tells which blob a model's name stands for."""
    if model.sha256:
        yield store / "blobs" / f"sha256-{model.sha256}"
    for name in model.ollama:
        family, _, tag = name.partition(":")
        manifest = store / "manifests/registry.ollama.ai/library" / family / tag
        if digest := _model_layer(manifest):
            yield store / "blobs" / digest.replace(":", "-")


def _model_layer(manifest: Path) -> str:
    try:
        layers = json.loads(manifest.read_bytes())["layers"]
        digests = [layer["digest"] for layer in layers if layer["mediaType"] == MODEL_LAYER]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    digest = str(digests[0]) if digests else ""
    return digest if digest.startswith("sha256:") and digest[7:].isalnum() else ""


def _by_name(store: Path, name: str) -> Iterator[Path]:
    for count, path in enumerate(store.rglob("*.gguf") if store.is_dir() else ()):
        if count >= LOOKED_AT:
            return
        if path.name.lower() == name.lower():
            yield path


def _from_llamafile(model: CatalogueModel, directory: Path, homes: Homes) -> Path | None:
    for store in (directory, *homes.llamafiles):
        for path in sorted(store.glob("*.llamafile"))[:LOOKED_AT] if store.is_dir() else ():
            if unpacked := _unpacked(path, model, directory):
                return unpacked
    return None


def _unpacked(path: Path, model: CatalogueModel, directory: Path) -> Path | None:
    """A llamafile is a zip archive with the model inside; llama.cpp wants it as a file."""
    target = directory / model.file
    try:
        with zipfile.ZipFile(path) as archive:
            member = next((m for m in archive.infolist() if _is_member(m, model)), None)
            if member is None:
                return None
            directory.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f"{target.name}.unpacked")
            with archive.open(member) as source, part.open("wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
    except (OSError, zipfile.BadZipFile):
        return None
    part.replace(target)
    return target


def _is_member(member: zipfile.ZipInfo, model: CatalogueModel) -> bool:
    return (
        Path(member.filename).name.lower() == model.file.lower() and member.file_size == model.size
    )
