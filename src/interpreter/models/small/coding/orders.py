"""Which file of code a request orders to be changed.

A file that is written anew is lost as it was, so a verb has to be an order: it begins a sentence,
or follows what an order may follow, and the file is what it is done to. A question, an order that
is forbidden, and one with another behind it (to run the file, to tell what it prints) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FILE = re.compile(r"(?<![\w./~-])(?!//)(?:~/)?[\w/.-]*\w\.py\b(?!\.\w)")
IS_TEST = re.compile(r"(?:^|/)(?:test_\w*|\w+_test|tests?)\.py$")
MENDS = (
    "implement|fix|complete|solve|repair|correct|finish|modify|change|edit|update|rewrite|extend"
)
"""What is done to a file of code, and not by it."""
ORDER = re.compile(
    rf"\b(?:{MENDS}|make|get|write)\b(?!\W+(?:and|or|of|is|are|was|were|nothing|no|anything)\b)"
    r"(?=\W)",
    re.IGNORECASE,
)
MAKES = re.compile(r"make|get|write", re.IGNORECASE)
"""Orders to change a file only where its tests are to pass."""
SENTENCE = re.compile(r"\S[^\n]*?(?:[.?!;](?=\s)|$)", re.MULTILINE)
BEFORE = (  # an order, of which it may be several
    r"(?:(?:and|then|also|just|now|so|but|first|next|finally|instead|please|kindly|hi|hello|hey|ok"
    r"|okay|(?:can|could|would|will) you|i(?:['’]d| would) like (?:you )?to|i (?:want|need) you to"
    r"|(?:i|we|you) (?:have|need|want|are|ought) to|(?:i|we|you) (?:should|must)"
    r"|(?:your|the|our) (?:task|job|goal) is to|go ahead and|try to|help (?:me|us)(?: to)?"
    r"|let(?:['’]s| us)|use\b[^.,;]{1,60}? to)\W+)*"
)
BEGINNING = r"^[\W\d_]*" + BEFORE
LEADS = re.compile(rf"(?:^[\W\d_]*|[,:]\s+|\bbut\s+){BEFORE}$", re.IGNORECASE)
GOES_ON = re.compile(rf"\b(?:and|then)\s+{BEFORE}$", re.IGNORECASE)
DOES_FIRST = re.compile(
    rf"{BEGINNING}(?:add|analy[sz]e|check|create|debug|find|follow|go|inspect|locate|look|make|open"
    rf"|read|remove|review|run|search|see|study|take|test|use|work|write|{MENDS})\b",
    re.IGNORECASE,
)
ASKS = re.compile(
    rf"{BEGINNING}(?:are|count|describe|did|does|explain|give|has|how|is|list|print|say|shall"
    r"|should|show|suggest|summari[sz]e|tell|what|which|who|whose|why)\b",
    re.IGNORECASE,
)
POLITELY = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
FORBIDS = re.compile(rf"{BEGINNING}(?:do not|don['’]t|never|you must not)\b", re.IGNORECASE)
BUT = re.compile(rf"\bbut\s+{BEFORE}$", re.IGNORECASE)
UNTOUCHED = r"""(?ix)
    (?:\b(?:do\ not|never|without|must\ not|should\ not)|n['’]t)\s+(?:\w+\s+){0,2}?
    (?:alter|chang|edit|fix|modify|overwrit|rewrit|touch|updat|writ)\w*\s+(?:to\s+|in\s+)?"""
THE_FILE = r"""(?:(?:(?:the|this)\ file|any\ files?)\b
    (?!\W+(?:besides|but|except|name|other|[\w./-]+\.py))|(?:the\ file\ )?`?%s(?!['’]s))"""
IT = r"(?:it\b(?!['’])|anything\b(?!\ else)|%s)"
DONE_WITH = re.compile(  # the file, and not to it
    r"(?<!problem )(?<!bug )(?<!issue )(?<!error )(?<!trouble )(?<!wrong )"
    r"\b(?:using|with|by(?! \w+ing\b)|run|running|through|via|than|like|about)\b"
    r"(?:(?!\bin\b).)*$|\b(?:that|which)\W+$",
    re.IGNORECASE,
)
OTHER_FILE = re.compile(
    r"\w\.(?:cfg|css|csv|db|docx?|html?|ini|ipynb|jpe?g|json|js|log|md|parquet|pdf|png|sh|sql|toml"
    r"|tsv|txt|xlsx?|xml|ya?ml)\b|\b(?:readme|changelog)\b",
    re.IGNORECASE,
)
PASSES = re.compile(r"\bpass|\bfailing\b|\bsucceed", re.IGNORECASE)
BY_MENDING = re.compile(r"\bby \w+ing\b", re.IGNORECASE)
OF_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)
OF_CODE = re.compile(
    r"\W+(?:it|this|that|them|these|(?:\w+\W+){0,4}?(?:bugs?|errors?|problems?|issues?|mistakes?|code"
    r"|functions?|class|classes|methods?|program|script|module|file|following|stubs?|exercise|task"
    r"|tests?|failures?|faults?))\b(?!['’]s|\W+(?:at|from|in|of|on)\s+"
    r"(?!(?:\w+\W+){0,3}(?:it|them|code|function|class|method|file|module|program|script)\b))",
    re.IGNORECASE,
)
TIES = (  # words that tell what something else has to do with the file
    r"\b(?:about|after|and|around|as|at|because|before|behind|by|for|from|if|in|inside|into|near|of"
    r"|on|or|so|that|to|under|until|when|where|which|while|who|with|within|without"
    r"|(?!failing|missing|existing|following|crashing|remaining|working)\w+ing(?=\W+\Z))\b"
)
CLAUSE = r"\b(?:because|if|so|that|when|where|which|who)\b"
PARTS = (
    r"(?:`[\w.]+(?:\(\))?`|\b(?:bugs?|\w*errors?|problems?|issues?|mistakes?|faults?|failures?"
    r"|crash(?:es)?|wrong|code|functions?|class|classes|methods?|logic|implementation|behaviou?r"
    r"|imports?|comments?|docstrings?|indentation|formatting|style|performance|output|stubs?|exercise|task"
    r"|tests?)\b)"
)
THIS = r"(?:\W+(?:the|this|that|my|our|your|file|module|program|script))*\W+"
IS_CHANGED = re.compile(  # what stands between a verb and the file that it changes
    rf"""(?isx)
    (?:(?!{TIES}).){{0,200}}                                                # the file itself
    |.{{0,200}}\bby\W+(?:chang|correct|edit|extend|fix|finish|implement|modify|repair|rewrit|updat
        |complet|solv)ing{THIS}
    |(?:(?!{CLAUSE}).){{0,200}}?\b(?:in|inside|within                       # what is in it
        |(?:at|on|in)\W+(?:the\W+)?(?:top|beginning|start|end|bottom|lines?\W+\d+)\W+of){THIS}
    |(?:(?!{TIES}).){{0,80}}?{PARTS}(?:(?!{TIES}).){{0,80}}?                    # its code
        (?:\b(?:of|for|with|from|about){THIS}|{CLAUSE}.{{0,200}})"""
)
IN_ANOTHER_LANGUAGE = re.compile(
    r"\W+(?:in|into)\s+(?!an?\b|the\b|this\b|that\b|my\b|our\b|place\b|plain\b|pure\b|modern\b"
    r"|idiomatic\b|good\b|python|less\b|fewer\b|more\b|one\b|two\b|such\b)",
    re.IGNORECASE,
)
IN_FILE = re.compile(rf"(?:^|\bin\b)[^\w/~]*(?:the file\W+)?{FILE.pattern}\W+{BEFORE}$", re.I)
MORE = re.compile(
    r"""(?:[.;!?]\s+|[,:]\s+|\b(?:and|then|also)\s+)
    (?:(?:and|then|also|please|finally|afterwards?|(?:can|could)\ you)\W+)*
    (?:(?:execute|run|start)\s+
     (?:it\b|the\ (?:app|code|file|program|script)\b|(?P<run>[\w./~-]+\.py))
    |(?:give|show|tell)\s+(?:me|us)\b
    |(?:answer|count|describe|display|draw|explain|list|plot|print|report|say|summari[sz]e)\s+
     (?:all|each|how|it|its|the|what|whether|which|why)\b
    |(?:does|how|is|what|when|where|which|who|why)\b[^.!?\n]*\?)""",
    re.IGNORECASE | re.VERBOSE,
)
LATER = re.compile(
    r"^\W*(?:(?:and|then|also|please|finally|afterwards)\W+)*"
    r"(?:(?:run\s+it|(?:give|show|tell)\s+(?:me|us))\b"
    r"|(?:how|what|when|where|which|who|why)\b[^\n]*\?\Z)",
    re.IGNORECASE,
)
TOLD_OF_IT = re.compile(  # what the file is to do, and nobody else
    r":|\b(?:if|it|must|she|should|so|that|they|to|until|when|which)\b", re.IGNORECASE
)
THAT_TESTS_PASS = re.compile(r"\bso that\b[^,.;]*\bpass(?:es)?\b", re.IGNORECASE)
NEAR = 150  # characters before a verb that tell whether it is an order
LOOKED_AT = 30_000  # characters of a request, of which the last ones tell what is wanted


def file_to_change(request: str) -> tuple[str, tuple[str, ...]] | None:
    """The one file that a request orders to be changed, and the tests it names; None where it
    orders anything else."""
    request = request.partition("\n\n")[0][-LOOKED_AT:]
    names = list(dict.fromkeys(FILE.findall(request)))
    tests = tuple(name for name in names if IS_TEST.search(name))
    others = [name for name in names if name not in tests]
    if len(others) != 1:
        return None
    (name,) = others
    to_pass = bool(tests and PASSES.search(request))
    orders = list(_orders(request, name, to_pass=to_pass))
    if not orders or _is_kept(request, name, orders[-1]) or _wants_more(request, orders[-1]):
        return None
    return _expanded(name), tuple(map(_expanded, tests))


def _expanded(name: str) -> str:
    return str(Path(name).expanduser()) if name.startswith("~") else name


def _orders(request: str, name: str, *, to_pass: bool) -> Iterator[int]:
    """Where a verb orders that the file be changed, perhaps for its tests to pass."""
    for sentence in SENTENCE.finditer(request):
        text = sentence[0]
        for verb in _verbs(text):
            after = text[verb.end() :]
            is_one = to_pass or not MAKES.fullmatch(verb[0])
            if is_one and _is_done_to(name, verb[0], text[: verb.start()], after, to_pass=to_pass):
                yield sentence.start() + verb.start()


def _verbs(sentence: str) -> Iterator[re.Match[str]]:
    """Verbs that order something in a sentence: in none that asks or tells, but for polite ones."""
    if ASKS.match(sentence):
        return
    is_question = sentence.rstrip("\"'`*_) ").endswith("?")
    for verb in ORDER.finditer(sentence):
        before = sentence[: verb.start()]
        if _is_order(before) and (POLITELY.search(before[-NEAR:]) or not is_question):
            yield verb


def _is_order(before: str) -> bool:
    """Whether an order can stand behind these words of its sentence."""
    near = before if len(before) <= NEAR else "x" + before[-NEAR:]
    if FORBIDS.match(before):
        return BUT.search(near) is not None
    goes_on = GOES_ON.search(near) and DOES_FIRST.match(before)
    return bool(LEADS.search(near) or goes_on)


def _is_done_to(name: str, verb: str, before: str, after: str, *, to_pass: bool) -> bool:
    """Whether the file is what is to be changed, and not its tests, or something else by it."""
    files = list(FILE.finditer(after))
    if not files:
        is_known = OF_CODE.match(after) or IN_FILE.search(before[-NEAR:])
        return bool(is_known and (to_pass or not OTHER_FILE.search(after)))
    gap = after[: files[0].start()]
    named = [found for found in files if found[0] == name]
    if files[0][0] != name:
        by_mending = named and BY_MENDING.search(after[: named[0].start()])
        is_to_pass = "so that" in gap or verb.lower() in ("make", "get")
        return bool(by_mending or (is_to_pass and PASSES.search(after)))
    if OF_TESTS.search(gap) and not (PASSES.search(gap) or BY_MENDING.search(gap)):
        return False
    behind = after[files[0].end() :]
    if verb.lower() == "rewrite" and IN_ANOTHER_LANGUAGE.match(behind):
        return False
    is_changed = IS_CHANGED.fullmatch(gap) and not DONE_WITH.search(gap)
    return bool(is_changed and (to_pass or not OTHER_FILE.search(gap)))


def _is_kept(request: str, name: str, order: int) -> bool:
    """Whether it is said that the file is not to be changed."""
    file = THE_FILE % re.escape(name)
    end = request.find("\n", order)
    line = request[request.rfind("\n", 0, order) + 1 : end if end >= 0 else None]
    return bool(re.search(UNTOUCHED + file, request) or re.search(UNTOUCHED + IT % file, line))


def _wants_more(request: str, order: int) -> bool:
    """Whether another order, or a question, follows in its line, or is plainly the last one."""
    line, *later = request[order:].rstrip().split("\n")
    if later and LATER.match(later[-1]):
        return True
    for found in MORE.finditer(line):
        run = found["run"]
        between = THAT_TESTS_PASS.sub("", line[: found.start()])
        is_told = TOLD_OF_IT.search(re.split(r"[.;!?]\s", between)[-1])
        is_apart = found[0][0] in ".;!?" or "then" in found[0].lower()
        if not (run and IS_TEST.search(run)) and (is_apart or not is_told):
            return True
    return False
