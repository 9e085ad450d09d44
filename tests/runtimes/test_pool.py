"""One runtime per language, whatever it is called, and none before it is needed."""

import json
import sys
from pathlib import Path

import pytest
from tests.live import printed, run, said

from interpreter.protocol.errors import PluginError
from interpreter.runtimes.catalog import states
from interpreter.runtimes.pool import PoolOptions, RuntimePool
from interpreter.sandboxes.backends.none import OpenCell


@pytest.fixture
def make_pool(tmp_path):
    opened = []

    def make(**options):
        cell = OpenCell(tmp_path)
        pool = RuntimePool(cell.launch, cell.exchange, PoolOptions(**options))
        opened.extend((pool.close, cell.close))
        return pool

    yield make
    for close in opened:
        close()


def test_aliases_and_capitals_share_one_runtime(make_pool):
    pool = make_pool()
    assert pool.get("bash") is pool.get("sh") is pool.get("Shell") is pool.get(" SHELL ")
    assert pool.get("py") is pool.get("Python") is pool.get("python3")


def test_only_what_the_machine_has_is_offered(make_pool):
    pool = make_pool(which=lambda program: "/bin/bash" if program == "bash" else None)
    assert pool.names() == ("python", "shell", "sql", "html")


def test_the_doctor_learns_what_is_there_and_how_to_get_the_rest():
    known = {s.language.name: s for s in states(lambda p: "/bin/bash" if p == "bash" else None)}
    assert (known["shell"].present, known["shell"].detail) == (True, "/bin/bash")
    assert (known["ruby"].present, known["ruby"].detail) == (False, "install the package ruby")
    assert known["python"].present


def test_warming_starts_in_the_background(make_pool, tmp_path):
    pool = make_pool()
    pool.warm("shell")
    assert said(pool.get("shell"), "echo fine") == "fine"


def test_a_session_can_be_closed_while_it_warms_up(make_pool):
    pool = make_pool()
    pool.warm("python")
    pool.close()


def test_a_closed_pool_starts_afresh(make_pool):
    pool = make_pool()
    run(pool.get("shell"), "kept=1")
    pool.close()
    assert said(pool.get("shell"), "echo fresh$kept") == "fresh"


def test_every_installed_kernel_is_a_language(make_pool, tmp_path):
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "My Python",
        "language": "mylang",
        "env": {"COLOUR": "blue"},
    }
    folder = tmp_path / "kernels" / "MyKernel"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec))
    (tmp_path / "kernels" / "broken").mkdir()
    (tmp_path / "kernels" / "broken" / "kernel.json").write_text("{")
    pool = make_pool(kernel_directories=(tmp_path / "kernels",))
    assert "mykernel" in pool.names()
    assert pool.get("mykernel") is pool.get("MyLang")
    assert said(pool.get("mykernel"), "import os; os.environ['COLOUR']") == "'blue'"


def test_a_kernel_of_the_machine_is_interrupted_by_its_signal(make_pool, tmp_path):
    from tests.live import end_of, interrupt_once_it_prints

    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    folder = tmp_path / "kernels" / "other"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps({"argv": argv}))
    other = make_pool(kernel_directories=(tmp_path / "kernels",)).get("other")
    source = "print('under way', flush=True)\nimport time; time.sleep(600)"
    assert end_of(interrupt_once_it_prints(other, source)).outcome == "interrupted"
    assert said(other, "1 + 1") == "2"


PLUGIN = """
from interpreter.protocol.events import ExecutionFinished, OutputDelta
from interpreter.protocol.ports import Language

class Shout:
    language = Language("shout")
    def __init__(self, launch, exchange): pass
    def run(self, source, answer=None):
        yield OutputDelta(source.upper())
        yield ExecutionFinished("ok")
    def interrupt(self): pass
    def restart(self): pass
    def close(self): pass
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution with one entry point, as pip would."""

    def install(name, value, source):
        info = tmp_path / "site" / f"{name}-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[interpreter.runtimes]\n{name} = {value}\n")
        Path(tmp_path / "site" / f"{name}_plugin.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path / "site")

    return install


def test_a_plugin_is_a_language_by_its_name(make_pool, install):
    install("shout", "shout_plugin:Shout", PLUGIN)
    assert printed(run(make_pool().get("Shout"), "hello")) == "HELLO"


def test_a_broken_plugin_names_its_package(make_pool, install):
    install("broken", "broken_plugin:Missing", "")
    with pytest.raises(PluginError, match="package 'broken'"):
        make_pool().get("broken")


def test_importing_the_pool_imports_no_zmq():
    import subprocess

    code = (
        "import sys, interpreter.runtimes.pool, interpreter.runtimes.kernel.python, "
        "interpreter.tools.run_code; "
        "print([m for m in ('zmq', 'jupyter_client', 'IPython', 'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
