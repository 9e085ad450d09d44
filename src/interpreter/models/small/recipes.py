"""The worked example that is nearest to a request, out of the many in recipes.toml.

A dozen examples stand before every request (examples.py); one more that does what is wanted now
helps a small model more than any rule. It is found by the words that people use for such things.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from interpreter.models.small.words import PROGRAM, is_an_order
from interpreter.protocol.messages import Message, Text, user_says
from interpreter.protocol.values import frozen

RECIPES = Path(__file__).with_name("recipes.toml")
LOOKED_AT = 2_000  # characters of a request
LEAST = 3.5  # what a request and a recipe have to share: a word that hardly another recipe has
ALONE = 4.0  # what one word has to tell that is all they share
CHANGES = re.compile(
    r"\.to_(?:csv|excel|json|sql)\(\"|\.to_excel|\"[wax]b?\"|write_(?:text|bytes)|rename\(|shutil|\.save\("
    r"|mkdir|unlink|extractall|savefig"
)
OF_ITS_OWN_REQUEST = 0.25  # its world is another one: a word of it counts less than one of `words`
OTHER_FILES = 0.7  # what remains of a likeness where a recipe is about another kind of file
WORD = re.compile(r"[a-z]{3,}")
SUFFIX = re.compile(r"\w\.([a-z]{2,6})\b", re.IGNORECASE)
SAME_KIND = {
    "tsv": "csv",
    "db": "sqlite",
    "sqlite3": "sqlite",
    "xlsm": "xlsx",
    "jsonl": "json",
    "yml": "yaml",
}


@frozen
class Recipe:
    """A request as people write it, and a program that does it."""

    request: str
    words: frozenset[str]
    """By which people ask for the same kind of thing."""
    own: frozenset[str]
    """Of its own request."""
    files: frozenset[str]
    code: str

    @property
    def changes_files(self) -> bool:
        """Whether it is for orders alone: who asks something wants nothing changed."""
        return bool(CHANGES.search(self.code))


@frozen
class Cookbook:
    """All recipes, and how much each word tells."""

    recipes: tuple[Recipe, ...]
    weights: dict[str, float]
    """None for words that are too common to tell anything."""

    def nearest(self, request: str, *, is_order: bool = False) -> Recipe | None:
        """The recipe for what a request wants; none where nothing is near."""
        said = request[:LOOKED_AT].casefold()
        kinds = frozenset(SAME_KIND.get(kind, kind) for kind in SUFFIX.findall(said))
        words = _words(SUFFIX.sub(" ", said))
        likeness, best = max(
            (
                (self._likeness(one, words, kinds), -at)
                for at, one in enumerate(self.recipes)
                if is_order or not one.changes_files
            ),
            default=(0.0, 0),
        )
        return self.recipes[-best] if likeness >= LEAST else None

    def _likeness(self, one: Recipe, words: frozenset[str], kinds: frozenset[str]) -> float:
        shared = [word for word in words & one.words if word in self.weights]
        meant = self._weight(shared)
        if len(shared) < 2 and meant < ALONE:
            return 0.0
        also = self._weight((words & one.own) - one.words) * OF_ITS_OWN_REQUEST
        fits = not one.files or not kinds or one.files & kinds
        return (meant + also if meant else 0.0) * (1.0 if fits else OTHER_FILES)

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self.weights.get(word, 0.0) for word in words)


@functools.cache
def cookbook() -> Cookbook:
    """The recipes that come with us."""
    book = tomllib.loads(RECIPES.read_text(encoding="utf-8"))
    recipes = tuple(
        Recipe(
            one["request"],
            _words(one["words"].casefold()),
            _words(SUFFIX.sub(" ", one["request"].casefold())),
            frozenset(one["files"].split()),
            one["code"].strip(),
        )
        for one in book["recipe"]
    )
    too_common = _words(book["too_common"])
    counts = Counter(word for one in recipes for word in (one.words | one.own) - too_common)
    return Cookbook(recipes, {w: math.log(len(recipes) / n) for w, n in counts.items()})


def example_for(question: str) -> tuple[Message, ...]:
    """What stands before a request, as if it had just been asked and answered: something like it,
    and how that was done. Behind the request a small model would take it for what is wanted."""
    words = question.partition("\n\n")[0]
    found = cookbook().nearest(words, is_order=is_an_order(question))
    if found is None or PROGRAM.match(words):  # a script is to be written, and not to be run
        return ()
    code = f"```python\n{found.code}\n```"
    return user_says(found.request), Message("assistant", (Text(code),))


def _words(text: str) -> frozenset[str]:
    """Its words, without the endings that plurals have."""
    found = WORD.findall(text)
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 4 else word for word in found)
