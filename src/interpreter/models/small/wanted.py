"""What a request wants: an answer, something done, or a file written."""

from __future__ import annotations

import re
from collections.abc import Iterator

COMPUTABLE = re.compile(
    r"\b[\w-]+\.(csv|tsv|jsonl?|xlsx?|parquet|db|sqlite3?|pdf|txt|md|log|py|js|html?|ya?ml|toml|ini|xml"
    r"|sql|sh|zip|gz|tar|png|jpe?g|env|cfg|conf|rst|tex|bib|srt|vtt|ics|vcf|eml|mbox|dat|docx?|od[st])\b"
    r"|(?<![\w.])\.env\b"
    r"|\d\s*([-+*/^%]|to the power|times|plus|minus)|\b\d{5,}\b"
    r"|\b(calculate|compute|average|mean|median|sum|product|percent\w*|correlation|factorial|prime"
    r"|how many|count|largest|biggest|smallest|files?|folders?|director(y|ies)|disk|today|installed"
    r"|processes|convert\w*|timestamp|hexadecimal|binary|days? (?:between|until|since)|weekday)\b",
    re.IGNORECASE,
)
ORDER = re.compile(
    r"\W*(please\s+|can you\s+|could you\s+)?(add|append|archive|build|change|clean|combine"
    r"|compress|concatenate|convert|copy|create|crop|deduplicate|delete|download|draw|edit|extract|fix|generate"
    r"|install|make|merge|move|open|organi[sz]e|plot|put|remove|rename|replace|resize|rotate|save|set"
    r"|sort|split|tidy|unpack|unzip|write|zip)\b",
    re.IGNORECASE,
)
PROGRAM = re.compile(
    r"\W*(?:please |can you |could you )?(?:create|generate|make|save|write)\b"
    r"(?=[^.\n]*\b(?:script|program|module)\b)",
    re.IGNORECASE,
)
TELLS = re.compile(  # "write me the average" wants an answer
    r"\W*(?:please |can you |could you )?write (?:me|us|down|out)\b"
    r"(?![^.\n]*\b(?:files?|folders?|function|module|program|script)\b)",
    re.IGNORECASE,
)
ASKS_TOO = re.compile(
    r"\b(?:(?:answer|reply|respond) (?:with|as|in|by|only)|tell me|what (?:is|are)"
    r"|how (?:many|much)|give (?:me )?the answer"
    r"|(?:and|then|to) (?:calculate|compute|count|determine|find(?! and)))\b",
    re.IGNORECASE,
)
DONE_BEFORE = "".join((
    *(rf"(?<!(?<!can )(?<!could )(?<!should )\b{who} )" for who in ("I", "we")),
    *(rf"(?<!['’]{end} )" for end in ("ve", "d", "s", "t")),
    *(rf"(?<!\b{word} )" for word in ("they", "he", "she", "have", "has", "had", "already")),
    *(rf"(?<!\b{word} )" for word in ("not", "never", "dont", "cannot")),
    r"(?<!\bI just )(?<!\bwe just )",
))  # "I've put my notes into notes.csv" wants nothing written, nor does "don't save it as a.csv"
WRITES = re.compile(
    DONE_BEFORE + r"\b(?:write|save|store|export|put)\b((?:[^.?!\n]|\.\w){0,240})", re.IGNORECASE
)
TO_BE_DONE = re.compile(  # what stands before an order, in its sentence
    r"(?:^\W*|[,:;]\W+|\b(?:and|then|also|please|finally|to|you|now|just|afterwards)\W+)\Z",
    re.IGNORECASE,
)
MAKES = re.compile(
    r"\b(?:merge|combine|convert|concatenate|turn|transform|extract|collect)\b"
    r"((?:[^.?!\n]|\.\w){0,240})",
    re.IGNORECASE,
)
BRINGS = re.compile(
    r"\b(?:pull|gather|get|take|list|filter|dump|copy)\b((?:[^.?!\n]|\.\w){0,240})", re.IGNORECASE
)
FILE_NAME = (
    r"[\"'`]?([\w/-]{1,100}\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml))\b(?![\w-]|\.\w)"
)
INTO_FILE = re.compile(
    r"\b(?<!according )(?<!compared )(to|as|into|in)\b"
    rf"(?: the file| a file)?(?: called| named)? {FILE_NAME}",
    re.IGNORECASE,
)
NEW_FILE = re.compile(
    r"\b(?:write|create|generate|make|produce)\b (?:me )?(?:an? |the )?(?:new )?(?:file )?"
    rf"(?:called |named )?{FILE_NAME}",
    re.IGNORECASE,
)
IN_A_FILE = re.compile(
    rf"\b(?:in|into|to|as) an? (?:new )?(?:\w+ )?file (?:called |named )?{FILE_NAME}",
    re.IGNORECASE,
)
FILE_ORDER = re.compile(
    r"\W*(?:please |can you |could you )?(?:append|copy|delete|move|rename|save|unpack"
    r"|unzip|zip)\b",
    re.IGNORECASE,
)
ANSWERS = (  # what else a request with such a word wants is said, not written
    r"(?!.*\b(?:show|print|display|list|tell|answer|reply|give|what|which|how|calculat\w+|comput\w+"
    r"|mean|average|median|sum|correlat\w+|count|plot|report|train|predict|find(?! and))\b(?!\.\w))"
)
MAKING = re.compile(
    r"\W*(?:please |can you |could you )?(?:archive|combine|compress|concatenate|convert|crop"
    r"|deduplicate|merge|resize|rotate|split)\b"
    r"(?=.*(?:\.(?:csv|tsv|json|txt|md|xlsx|html|yaml|yml|xml|pdf|png|jpe?g|zip)\b|\b(?:files?|folders?"
    r"|images?|pictures?|photos?)\b))" + ANSWERS,
    re.IGNORECASE | re.DOTALL,
)
TO_DELETE = re.compile(
    r"\b(?:delet|remov|clean|clear|tid(?:y|ied)|drop|eras|purg|trash|get rid|wip|dedup|duplicates"
    r"|uninstall|discard|throw|prune|unpack|unzip|replac|overwrit|merg)\w*",
    re.IGNORECASE,
)
SAVES = re.compile(
    r"\b(?:save|overwrite|write back) (?:it|them|that|(?:the|this|that) (?:file|table))\b"
    r"(?! (?:as|to|into|in) (?!the same (?:file|table|sheet)\b|place\b))",
    re.IGNORECASE,
)
CHANGING = re.compile(
    r"\W*(?:please |can you |could you )?(?:set|change|update|edit|replace|insert|remove|increase"
    r"|decrease|clean|fix|add (?:an? |the )?(?:new )?(?:column|row|line|field|key|entry|header))\b"
    r"[^?]*\b(?:in|of|from|to|inside|under)\b[^?]{0,80}?"
    r"(?:[\w/-]+\.(?:csv|tsv|json|txt|md|ya?ml|toml|ini|xml|html|cfg|conf|env|sql)\b"
    r"|\bfiles?\b)" + ANSWERS,
    re.IGNORECASE | re.DOTALL,
)
LOOKED_AT = 4_000  # characters of a request in which a file to write is looked for


def needs_code(question: str) -> bool:
    """Whether it is about numbers or files, which a small model had better not guess about."""
    return bool(COMPUTABLE.search(question.partition("\n\n")[0][:LOOKED_AT]))


def is_an_order(question: str) -> bool:
    """Whether something is to be done, so that it may be done without anything to print."""
    if file_to_write(question) or _orders_in(question):
        return True
    if not ORDER.match(question) or "?" in question or TELLS.match(question):
        return False
    is_pure = FILE_ORDER.match(question) or PROGRAM.match(question)
    return bool(is_pure) or not ASKS_TOO.search(question.partition("\n\n")[0])


def _orders_in(question: str) -> bool:
    """Whether one of its sentences wants files changed: "It is a mess. Clean it and save it." """
    words = question.partition("\n\n")[0][:LOOKED_AT]
    sentences = re.split(r"(?<=[.!:;])\s+", words)
    orders = (CHANGING, FILE_ORDER, MAKING)
    changes = any(order.match(one) for one in sentences[1:] for order in orders)
    return "?" not in words and (changes or bool(SAVES.search(words)))


def file_to_write(question: str) -> str:
    """The file into which a request wants its answer written; nothing where it names none. One
    that is there is read, and not written, but where an order says so."""
    words, _, known = question.partition("\n\n")
    words = words[:LOOKED_AT]
    named = list(_goals_of_writing(words, known))
    targets = [name for how, name in named if how.lower() != "in"]
    if "?" not in words:
        made = [pair for clause in MAKES.findall(words) for pair in INTO_FILE.findall(clause)]
        made = [(how, name) for how, name in made if how.lower() != "in"]
        brought = [pair for clause in BRINGS.findall(words) for pair in INTO_FILE.findall(clause)]
        made += [(how, name) for how, name in brought if how.lower() == "into"]
        made += [("in", name) for name in IN_A_FILE.findall(words)]
        targets += [name for _, name in made if name.rpartition("/")[2] not in known]
    targets += NEW_FILE.findall(words)  # "write b.csv with what is in a.csv" means b.csv
    targets += [name for _, name in named[::-1]]
    return str(next(iter(targets), ""))


def _goals_of_writing(words: str, known: str) -> Iterator[tuple[str, str]]:
    """Names of files behind a verb that may write, and the word before each."""
    for verb in WRITES.finditer(words):
        sentence = re.split(r"[.!?\n](?!\w)", words[: verb.start()])[-1]
        for how, name in INTO_FILE.findall(verb[1]):
            is_there = name.rpartition("/")[2] in known
            if not is_there or (how.lower() != "in" and TO_BE_DONE.search(sentence)):
                yield how, name


def is_about_files(question: str) -> bool:
    """Whether it is an order that cannot be done without changing a file."""
    words = question.partition("\n\n")[0][:LOOKED_AT]
    orders = (FILE_ORDER, MAKING, CHANGING, PROGRAM)
    wants = any(order.match(words) for order in orders) or _orders_in(question)
    return is_an_order(question) and bool(wants or file_to_write(question))


def keeps_files(question: str) -> bool:
    """Whether something is to be done, and nothing is to be deleted."""
    words = re.sub(r"\S+\.\w+", " ", question.partition("\n\n")[0][:LOOKED_AT])
    return is_an_order(question) and not TO_DELETE.search(words)
