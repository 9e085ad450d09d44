"""The forms that a question can name for its answer."""

from __future__ import annotations

import re

NOT_READ = (  # what is there already
    r"(?<!this )(?<!that )(?<!from )(?<!from the )(?<!of the )(?<!in the )(?<!read )(?<!parse )"
    r"(?<![.\w])"
)
IS_THERE = (
    r"(?! ?(?:files?|lines|exports?|dumps?|logs?|backups?|errors?|contains?|holds?|has|have|says?)"
    r"\b)"
)
JSON = re.compile(  # in it, or as it; given, written and so on as it; or alone in a sentence
    r"(?:\bas (?:[\w-]+ ){0,5}?|\b(?:in|into|just|only) (?:(?:an?|one|the|single|valid|plain) )*"
    r"|\b(?:answer|reply|respond|give|return|print|output|produce|present|write|show|list|want|need"
    r"|format\w*|make|create|build|generate|convert|turn|put|save|export|dump"
    r"|provide|send|use|be|like|get)\b"
    r"(?:(?!\b(?:that|which|who|whose|where|about|from|mention\w*|handl\w+|support\w*|pars\w+)\b)"
    r"[^.?!;\n]){0,40}?"
    r"|\bto (?:(?:an?|one|the|single|valid|plain) )*"
    r"|(?=json (?:output|format|response|answer|string|only|keys?)\b)"
    r"|(?:^|[.:;,!?(>\n]) ?(?:an? |one |the )?"
    r"(?=json(?:,? (?:please|only|object|array|list|format|output|with)\b|[.:)?!;\n]|$)))"
    rf"{NOT_READ}(?<!my )(?<!our )json\b{IS_THERE}",
    re.IGNORECASE,
)
TO_BE = (  # stands before the form of an answer, and not before what is there already
    r"\b(?:as|in(?! the\b| this\b| that\b| my\b| our\b)|answer|reply|respond|give|return|print"
    r"|output|produce|present|write|show|list|want|need|format\w*)\b[^.?!;\n]{0,40}?"
)
CSV = re.compile(rf"{TO_BE}{NOT_READ}csv\b{IS_THERE}", re.IGNORECASE)
YAML = re.compile(rf"{TO_BE}{NOT_READ}ya?ml\b{IS_THERE}", re.IGNORECASE)
TOML = re.compile(rf"{TO_BE}{NOT_READ}toml\b{IS_THERE}", re.IGNORECASE)
XML = re.compile(rf"{TO_BE}{NOT_READ}xml\b{IS_THERE}", re.IGNORECASE)
ROOT = re.compile(
    r"\broot(?: element| tag| node)?(?: named| called| is)? [\"'`<]?(\w+)"
    r"|[\"'`<](\w+)[\"'`>]? as (?:the )?root|\belement [\"'`<](\w+)[\"'`>]? with",
    re.IGNORECASE,
)
USUAL_ROOT = "result"
ARRAY = re.compile(
    rf"{NOT_READ}json (?:array|list)\b(?! of (?:objects|records|rows|dict))", re.IGNORECASE
)
DICTIONARY = re.compile(
    r"\b(?:as|answer|reply|respond|give|return|print|output)\b[^.?!;\n]{0,40}?"
    r"(?:\bpython dict(?:ionary)?\b|(?<!used )\bas a dict(?:ionary)?\b)",
    re.IGNORECASE,
)
TABLE = re.compile(
    rf"{TO_BE}\bmarkdown\b[^.\n]{{0,20}}\btable\b|{TO_BE}\btable\b[^.\n]{{0,20}}\bmarkdown\b",
    re.IGNORECASE,
)
LINES = re.compile(
    rf"{TO_BE}\b(?:name|key|label)s?( ?= ?|: ?)values?\b"
    rf"|{TO_BE}\b(?:name|key|label)s? and values?\b"
    r"[^.\n]{0,40}\bseparated by an? (equals?|colon)",
    re.IGNORECASE,
)
SEPARATED = re.compile(
    r"\b(?:answer|reply|respond|give|list|print|show|write|return|output)\b[^.\n]{0,160}"
    r"\bseparated by (?:an? )?(comma|semicolon|space|tab|pipe|slash)",
    re.IGNORECASE,
)
MARKS = {"comma": ", ", "semicolon": "; ", "space": " ", "tab": "\t", "pipe": "|", "slash": "/"}
ONE_NUMBER = re.compile(
    r"\b(?:only|just|nothing but) (?:with |(?:give|tell|say|want|need|print|show|send)(?: me)? )?"
    r"(?:the |a |one |that )?(?:\w+ )?(?:number|integer|value|figure|amount)\b"
    r"(?! of| for each| per\b| in each)",
    re.IGNORECASE,
)
YES_NO = re.compile(r"\byes ?(?:or|/) ?no\b", re.IGNORECASE)
REASON = re.compile(r"\b(?:reason|why|because|explain)\b", re.IGNORECASE)


def plain_kind(words: str) -> str:
    """Whether nothing but a number, or yes or no, is asked for."""
    if ONE_NUMBER.search(words):
        return "number"
    return "yes or no" if YES_NO.search(words) and not REASON.search(words) else ""


def kind_of_values(words: str) -> tuple[str, str]:
    """The form of names and values that is asked for, and what separates them; nothing for none."""
    if JSON.search(words):
        return "json", ""
    if plain_kind(words):
        return "", ""
    forms = (
        *(("yaml", YAML), ("toml", TOML), ("xml", XML)),
        *(("dictionary", DICTIONARY), ("table", TABLE), ("csv", CSV)),
    )
    if kind := next((kind for kind, named in forms if named.search(words)), ""):
        root = ROOT.search(words) if kind == "xml" else None
        return kind, next(filter(None, root.groups()), "") if root else ""
    if found := LINES.search(words):
        mark = found.group(1) or ("=" if found.group(2).lower().startswith("equal") else ": ")
        return "lines", mark
    if found := SEPARATED.search(words):
        return "list", MARKS[found.group(1).lower()]
    return "", ""
