"""What the next block would pay for a frozen copy is paid when the copy is made."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

import interpreter

PAGES = Path(interpreter.__file__).parent / "inside" / "variables" / "variable_pages.py"
PROGRAM = """
import gc, mmap, os, resource, runpy, sys
pages = runpy.run_path(sys.argv[1])
gc.disable()
COUNT = 2000
memory = mmap.mmap(-1, COUNT * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
def write():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for number in range(0, COUNT, 2):
        memory[number * 4096] = 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
def copy():
    ready, tell = os.pipe()
    if os.fork() == 0:
        os.close(tell)
        os.read(ready, 1)  # until we end
        os._exit(0)
    kept.append(tell)
kept = []
for number in range(COUNT):
    memory[number * 4096] = 2
copy()
write()
written = pages["written_since_the_last_copy"]()
copy()
unprepared = write()
written = pages["written_since_the_last_copy"]()
copy()
pages["make_ready"](written)
print(unprepared, write(), memory[0], memory[4096])
"""


def test_pages_that_were_written_before_are_ready_after_a_copy():
    if tuple(map(int, platform.release().split(".")[:2])) < (5, 14):
        pytest.skip("this kernel cannot make pages ready")
    command = [sys.executable, "-I", "-c", PROGRAM, str(PAGES)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    unprepared, prepared, *content = map(int, told.split())
    assert unprepared >= 1000
    assert prepared < 100
    assert content == [1, 2]
