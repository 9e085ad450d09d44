"""Slips in files that are put right without asking the model again."""

import pytest

from interpreter.models.small.coding.mends import mended

SCHOOL = '''\
"""Who is in which class."""
from __future__ import annotations


class School:
    def __init__(self):
        self.roster, self.added = {}, []
        self.größe = 0

    def add(self, name: Any):
        self.added.append(name); self.roster[name] = Counter(name)
        self.größe += 1

    def added(self):
        return self.added

    def roster(self):
        return sorted(self.roster), random.choice("a")

    def both(self):
        return self.added() + [math.floor(sqrt(17.5))]
'''


def test_an_attribute_that_hides_a_method_gets_a_name_of_its_own():
    names = {}
    exec(mended(SCHOOL), names)
    school = names["School"]()
    school.add("Ann")
    assert school.added() == ["Ann"]
    assert school.roster() == (["Ann"], "a")
    assert school.both() == ["Ann", 4]
    assert school.größe == 1


def test_a_property_keeps_its_value_elsewhere():
    names = {}
    source = "class Robot:\n def __init__(self): self.name = 'R2'\n @property\n def name(self): return self.name"
    exec(mended(source), names)
    assert names["Robot"]().name == "R2"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = random.choice([1])", "import random"),
        ("x = datetime.now()", "from datetime import datetime"),
        ("x = datetime.datetime.now()", "import datetime"),
        ("def f(a: List[int]) -> int: ...", "from typing import List"),
        ("x = defaultdict(list)", "from collections import defaultdict"),
        ("x = Counter('aab')", "from collections import Counter"),
        ("x = deepcopy([1])", "from copy import deepcopy"),
    ],
)
def test_what_is_used_is_imported(source, line):
    assert mended(source).splitlines()[0] == line
    exec(mended(source), {})


@pytest.mark.parametrize(
    "source",
    [
        "def broken(:",
        "count += 1\nprint(total, count)",  # a variable that nobody gave a value is no import
        "from os import *\nx = random.choice([1])",
        "class A:\n    def x(self): ...\n    def y(self):\n        return self.x",
        "class A:\n    @property\n    def x(self): return self._x\n"
        "    @x.setter\n    def x(self, value): self._x = value\n"
        "    def y(self): self.x = 1",
        "import random\nx = random.choice([1])",
        "try:\n    pass\nexcept ValueError as error:\n    print(error)",
        "for count in [1]:\n    count.append(lambda product: product(2))",
        "match [1]:\n    case [first, *date]:\n        date(first)",
        "class A:\n    def __init__(self, run=None):\n        if run:\n            self.run = run\n"
        "    def run(self): ...\n    def start(self):\n        return self.run()",
        "class A:\n    def __init__(self, run):\n        self.run = run\n    def run(self): ...",
        "class A:\n    def __init__(self):\n        self.x = cache(self.x)\n    def x(self): ...\n"
        "def cache(x): ...",
        "class A:\n    @cached_property\n    def x(self): ...\n    def __init__(self):\n"
        "        self.x = []\ndef cached_property(x): ...",
        "class A:\n    def total(self): ...\n    def all(self):\n        return map(self.total, [1])\n"
        "    def keep(self):\n        self.total = self.total()",
        "class A:\n    def next(self): ...\n    class B:\n        def __init__(self):\n"
        "            self.next = []",
        "class A:\r    def x(self): ...\r    def __init__(self):\r        self.x = []\r",
        "class A:\n    def x(self): ...\n    def __init__(self):\n        self.x = []\f\n",
    ],
)
def test_the_rest_stays(source):
    assert mended(source) == source


def test_a_parameter_that_a_method_of_its_name_gives_back_hides_that_method():
    names = {}
    source = "class A:\n def __init__(self, x):\n  self.x = x\n def x(self):\n  return self.x"
    exec(mended(source), names)
    assert names["A"](3).x() == 3


def test_imports_stand_behind_the_first_comments():
    head = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"
    assert mended(f"{head}x = math.pi") == f"{head}import math\n\nx = math.pi"
