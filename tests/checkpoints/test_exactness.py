"""After an undo everything in memory is as it was: not equal values, but the same ones.

Each case is what was there, what a block did to it, and an expression that tells the difference.
"""

import sys
import tempfile
from pathlib import Path

import pytest

from interpreter.checkpoints.variables.python import PythonVariables
from tests.checkpoints.kernels import Kernel
from tests.live import end_of, interrupt_once_it_prints, printed

CASES = {
    "two names for one list": ("a = b = [1]", "a.append(2)", "(a, a is b)"),
    "a list in a dictionary in an object": (
        "class Box: pass\ninner = [1]; box = Box(); box.held = {'k': inner}",
        "inner.append(2)",
        "(box.held['k'] is inner, inner)",
    ),
    "a name that another block rebound": ("a = [1]; b = a", "b = list(a); a.append(2)", "a is b"),
    "an array and a view of it": (
        "import numpy as np; whole = np.arange(6); part = whole[2:4]",
        "part[:] = 9",
        "(whole.tolist(), part.base is whole)",
    ),
    "an array that is reshaped in place": (
        "import numpy as np; grid = np.arange(6)",
        "grid.shape = (2, 3); grid.flags.writeable = False",
        "(grid.shape, grid.flags.writeable)",
    ),
    "a frame and a column of it": (
        "import pandas as pd; frame = pd.DataFrame({'a': [1, 2]}); column = frame['a']",
        "frame.loc[0, 'a'] = 9; frame['new'] = 1",
        "(frame.to_dict(), column.tolist())",
    ),
    "a class that was defined anew": (
        "class Thing: kind = 'old'\nthing = Thing()",
        "class Thing: kind = 'new'",
        "(isinstance(thing, Thing), type(thing) is Thing, Thing.kind)",
    ),
    "a class that was changed": (
        "class Part:\n    def say(self): return 'old'\npart_of = Part()",
        "Part.say = lambda self: 'new'",
        "part_of.say()",
    ),
    "an object's class": (
        "class One: pass\nclass Two: pass\nchangeling = One()",
        "changeling.__class__ = Two",
        "type(changeling) is One",
    ),
    "the random numbers to come": (
        "import random; random.seed(5)",
        "random.random()",
        "random.getstate()[1][-1]",
    ),
    "the random numbers of numpy": (
        "import numpy as np; np.random.seed(5); source = np.random.default_rng(5)",
        "np.random.random(); source.random()",
        "(np.random.get_state()[2], source.bit_generator.state['state'])",
    ),
    "an attribute of a module": (
        "import math; pi = math.pi",
        "math.pi = 3; math.mine = 1",
        "(math.pi == pi, hasattr(math, 'mine'))",
    ),
    "a builtin": (
        "import builtins",
        "builtins.pow = None; builtins.mine = 1",
        "(pow(2, 3), hasattr(builtins, 'mine'))",
    ),
    "where modules are looked for": ("import sys", "sys.path.append('/nowhere')", "sys.path"),
    "what is imported": (
        "import sys",
        "import wave",
        "('wave' in sys.modules, 'wave' in globals())",
    ),
    "a module that was read again": (
        "import importlib, colorsys; colorsys.mine = 1; before = id(colorsys.rgb_to_hsv)",
        "importlib.reload(colorsys); del colorsys.mine",
        "(colorsys.mine, id(colorsys.rgb_to_hsv) == before)",
    ),
    "the environment": (
        "import os; os.environ['KEPT'] = 'a'",
        "os.environ['KEPT'] = 'b'; os.environ['NEW'] = '1'",
        "(os.environ['KEPT'], os.environ.get('NEW'))",
    ),
    "the environment that programs see": (
        "import os, subprocess; os.environ['SEEN'] = 'a'",
        "os.environ['SEEN'] = 'b'",
        "subprocess.run(['printenv', 'SEEN'], capture_output=True).stdout",
    ),
    "the working directory": ("import os", "os.mkdir('d'); os.chdir('d')", "os.getcwd()"),
    "the mask of new files": (
        "import os",
        "os.umask(0o077)",
        "next(line for line in open('/proc/self/status') if line.startswith('Umask'))",
    ),
    "the precision of decimals": (
        "import decimal",
        "decimal.getcontext().prec = 3",
        "decimal.getcontext().prec",
    ),
    "the locale": (
        "import locale; locale.setlocale(locale.LC_ALL, 'C')",
        "locale.setlocale(locale.LC_ALL, 'C.UTF-8')",
        "locale.setlocale(locale.LC_ALL)",
    ),
    "filters of warnings": (
        "import warnings",
        "warnings.simplefilter('error')",
        "warnings.filters[:2]",
    ),
    "options of pandas": (
        "import pandas as pd",
        "pd.set_option('display.max_rows', 3)",
        "pd.get_option('display.max_rows')",
    ),
    "options of numpy": (
        "import numpy as np",
        "np.set_printoptions(precision=2); np.seterr(all='raise')",
        "(np.get_printoptions()['precision'], np.geterr())",
    ),
    "options of matplotlib": (
        "import matplotlib as mpl",
        "mpl.rcParams['lines.linewidth'] = 9",
        "mpl.rcParams['lines.linewidth']",
    ),
    "an open figure": (
        "import matplotlib.pyplot as plt; figure, axes = plt.subplots(); plt.close('all')",
        "axes.plot([1, 2])",
        "(len(axes.lines), axes.figure is figure)",
    ),
    "levels of logging": (
        "import logging; log = logging.getLogger('mine')",
        "log.setLevel(10); log.addHandler(logging.NullHandler())",
        "(log.level, log.handlers)",
    ),
    "a closure's count": (
        "def counter():\n    n = 0\n    def step():\n        nonlocal n; n += 1; return n\n"
        "    def look(): return n\n    return step, look\nstep, look = counter(); step()",
        "step(); step()",
        "look()",
    ),
    "a default that is a list": (
        "def collect(x, found=[]):\n    found.append(x); return found",
        "collect(1)",
        "collect.__defaults__",
    ),
    "attributes of a function": ("def f(): pass\nf.calls = 1", "f.calls += 1", "f.calls"),
    "where a generator stands": (
        "numbers = (n for n in range(9)); next(numbers)",
        "next(numbers); next(numbers)",
        "(numbers.gi_frame.f_locals['n'], next(numbers))",
    ),
    "where an iterator stands": (
        "steps = iter([1, 2, 3]); next(steps)",
        "next(steps)",
        "steps.__length_hint__()",
    ),
    "a zip of two": ("pair = zip('ab', [1, 2])", "next(pair)", "pair.__reduce__()[1][0]"),
    "a queue with two ends": (
        "from collections import deque; ends = deque([1, 2], 3)",
        "ends.rotate(1); ends.append(9)",
        "(ends, ends.maxlen)",
    ),
    "weak references": (
        "import weakref\nclass W: pass\nstrong = W(); weak = weakref.ref(strong)",
        "del strong",
        "weak() is strong",
    ),
    "what a function remembers": (
        "import functools\n@functools.lru_cache\ndef slow(x): return x\nslow(1)",
        "slow(2); slow(1)",
        "slow.cache_info()",
    ),
    "what an object is known by": ("it = object(); known = id(it)", "it = 5", "id(it) == known"),
    "the order of a dictionary": (
        "order = {'a': 1, 'b': 2}",
        "order['a'] = order.pop('a')",
        "list(order)",
    ),
    "the globals of functions": (
        "shared = 1\ndef read(): return shared\ndef space(): return globals()",
        "shared = 2; del read",
        "(read(), read.__globals__ is space())",
    ),
    "deleted variables": ("gone = here = {'a'}", "del gone; here.clear()", "(gone is here, here)"),
    "a deleted attribute": (
        "class Slots:\n    __slots__ = ('x',)\nslotted = Slots(); slotted.x = [1]",
        "del slotted.x",
        "slotted.x",
    ),
    "a database in memory": (
        "import sqlite3; base = sqlite3.connect(':memory:'); base.execute('create table t (n)')",
        "base.execute('insert into t values (1)')",
        "base.execute('select count(*) from t').fetchone()",
    ),
    "a function without a name": ("twice = lambda x: x * 2", "twice = None", "twice(4)"),
    "a partial of it": (
        "import functools; held = []; add = functools.partial(held.append)",
        "add(1)",
        "(held, add.func.__self__ is held)",
    ),
    "a lock that is held": (
        "import threading; lock = threading.Lock(); lock.acquire()",
        "lock.release()",
        "lock.locked()",
    ),
    "a coroutine that waits": (
        "import asyncio; waiting = asyncio.Event(); told = []\n"
        "async def wait():\n    await waiting.wait(); told.append(1)\n"
        "task = asyncio.create_task(wait()); await asyncio.sleep(0)",
        "waiting.set(); await task",
        "(task.done(), waiting.is_set(), told)",
    ),
    "a context variable": (
        "import contextvars; mood = contextvars.ContextVar('mood', default='calm')",
        "mood.set('wild')",
        "mood.get()",
    ),
    "an enumeration and its members": (
        "import enum\nclass Colour(enum.Enum): RED = 1\nred = Colour.RED",
        "class Colour(enum.Enum): RED = 1",
        "red is Colour.RED",
    ),
    "a data class": (
        "import dataclasses\n@dataclasses.dataclass\nclass Point: x: int = 0\npoint = Point()",
        "point.x = 5; Point.__eq__ = lambda a, b: False",
        "(point, point == Point())",
    ),
    "memory that is viewed": (
        "raw = bytearray(b'abc'); seen = memoryview(raw)",
        "seen[0] = 120",
        "(bytes(raw), seen.obj is raw)",
    ),
    "a cycle": ("ring = []; ring.append(ring)", "ring.append(1)", "(ring[0] is ring, len(ring))"),
    "where an open file is read": (
        "open('text', 'w').write('one\\ntwo\\nthree\\n'); file = open('text'); file.readline()",
        "file.read()",
        "file.tell()",
    ),
    "where an open file is written": (
        "out = open('out', 'w'); _ = out.write('one'); out.flush()",
        "out.close()",
        "(out.closed, out.tell())",
    ),
    "a file without a name": (
        "import tempfile; nameless = tempfile.TemporaryFile(); _ = nameless.write(b'abc')",
        "nameless.close()",
        "(nameless.seek(0), nameless.read())",
    ),
    "how deep calls may go": (
        "import sys; sys.setrecursionlimit(3000)",
        "sys.setrecursionlimit(5000)",
        "sys.getrecursionlimit()",
    ),
    "what is done with a signal": (
        "import signal",
        "signal.signal(signal.SIGUSR1, lambda *_: None)",
        "signal.getsignal(signal.SIGUSR1)",
    ),
    "the number of the block": ("None", "None", "get_ipython().execution_count"),
    "a magic's alias": (
        "None",
        "get_ipython().run_line_magic('alias', 'hi echo hi')",
        "'hi' in dict(get_ipython().alias_manager.aliases)",
    ),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A kernel that has gone back many times."""
    with tempfile.TemporaryDirectory(prefix="rl-") as exchange:
        variables = PythonVariables(Path(exchange))
        kernel = Kernel(variables, sys.executable, tmp_path_factory.mktemp("work"))
        yield kernel, variables
        kernel.close()
        variables.close()


@pytest.mark.parametrize("case", CASES)
def test_undo_brings_back_exactly(kept, case):
    kernel, variables = kept
    before, change, difference = CASES[case]
    number = list(CASES).index(case)
    variables.touched()
    kernel.run(before)
    assert kernel.end.outcome == "ok", kernel.end
    look = f"print({difference})"  # which may be a change itself
    expected = kernel.block(f"look-{number}", look)
    kernel.block(f"change-{number}", change)
    assert kernel.end.outcome == "ok", kernel.end
    variables.restore(f"look-{number}")
    assert kernel.run(look) == expected


def test_after_an_undo_the_kernel_asks_prints_and_is_interrupted_as_before(kept):
    kernel, variables = kept
    variables.touched()
    kernel.block("then", "x = 1")
    variables.restore("then")
    asked = list(kernel.runtime.run("print(input('Name? '))", lambda request: "Ada"))
    assert printed(asked) == "Ada\n"
    assert printed(list(kernel.runtime.run("!echo from a child"))).strip() == "from a child"
    events = interrupt_once_it_prints(
        kernel.runtime, "import time\nprint('under way', flush=True)\nwhile True: time.sleep(0.01)"
    )
    assert end_of(events).outcome == "interrupted"
    assert kernel.run("print('alive')") == "alive\n"


def test_threads_that_did_not_come_along_are_named_and_pools_start_new_ones(kept):
    kernel, variables = kept
    variables.touched()
    kernel.run(
        "import threading; from concurrent.futures import ThreadPoolExecutor\n"
        "ready = threading.Event(); pool = ThreadPoolExecutor(2); pool.submit(int).result()\n"
        "threading.Thread(target=ready.wait, name='mine', daemon=True).start()"
    )
    kernel.block("threads", "x = 1")
    report = variables.restore("threads")
    assert report.lost["thread mine"] == "threads do not live on"
    assert kernel.run("print(pool.submit(lambda: 5).result())") == "5\n"


def test_a_kernel_that_dies_between_two_blocks_goes_on_as_it_was(kept):
    kernel, variables = kept
    variables.touched()
    kernel.block("born", "a = b = unheard_of = [1]; steps = iter([1, 2, 3])")
    variables.settle()
    for death in range(2):  # the one that took its place may die, too
        kernel.die_between_blocks()
        kernel.block(f"after-{death}", f"a.append({death}); next(steps)")
        assert kernel.end.outcome == "ok", kernel.end
        kernel.block(f"later-{death}", "c = 1")
        variables.settle()
    assert kernel.run("print(a, a is b, next(steps))") == "[1, 0, 1] True 3\n"
    variables.restore("later-1")
    assert kernel.run("print(a, 'c' in globals())") == "[1, 0, 1] True\n"
    variables.restore("after-1")
    assert kernel.run("print(a, a is b, next(steps))") == "[1, 0] True 2\n"
    variables.restore("born")
    assert kernel.run("print('unheard_of' in globals())") == "False\n"


def test_a_name_that_was_used_before_is_the_newest_again(kept):
    kernel, variables = kept
    for name in ("twice", *map(str, range(7)), "twice", "one more"):
        kernel.block(name, f"said = {name!r}")
    assert variables.kept()[-2:] == ("twice", "one more")
    variables.restore("twice")
    assert kernel.run("print(said)") == "6\n"


def test_a_kernel_that_dies_right_after_an_undo_goes_on_as_it_was(kept):
    kernel, variables = kept
    variables.touched()
    kernel.block("lists", "a = b = [1]")
    kernel.block("change", "a.append(2)")
    variables.restore("change")
    kernel.die_between_blocks()
    assert kernel.run("print(a, a is b)") == "[1] True\n"


def test_a_block_that_has_just_come_is_not_run_again_by_a_copy_that_becomes_the_kernel(kept):
    kernel, variables = kept
    variables.touched()
    kernel.run("import asyncio, time; later = asyncio.get_running_loop().call_later; x = 0")
    # The copy is made in the turn of the loop in which the next block comes.
    kernel.block("first", "x = 1; _ = later(0.01, time.sleep, 0.5)")
    kernel.block("second", "x = 2")
    variables.restore("second")
    assert kernel.run("print(x)") == "1\n"
