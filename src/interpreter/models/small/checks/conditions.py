"""The conditions of a request, and whether a program and what it did keep to them.

A small model drops half of what it was asked: a filter, a limit, the name of the file to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from interpreter.models.small.checks.program import MONTHS, WEEKDAYS, Program
from interpreter.models.small.prompts.hints import COLUMN
from interpreter.models.small.prompts.reminders import POPULATION
from interpreter.models.small.rounds import Round
from interpreter.protocol.values import frozen

# As tools/named_values.py writes it.
NAMED = re.compile(r"^Named in the request: column '(.+?)' has (.+) \(\d+ rows\)$", re.MULTILINE)
CLOSE = 60  # characters between values that are said together
LISTED = re.compile(r"^- '(.+?)' text: ('.*)$", re.MULTILINE)
TEXTS = re.compile(r"^- '.+?' text: ('.*)$", re.MULTILINE)
DATES = re.compile(r"^- '.+?' dates\b", re.MULTILINE)
SPELT = re.compile(r"'([^']+)'|\"([^\"]+)\"")
LIMIT = re.compile(
    r"\b(?:(?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger|longer|shorter|later"
    r"|earlier|cheaper) than|over|above|below|under|at least|at most|exceed\w*|up to|between"
    r"|the (?:first|last|top|bottom|next)|top)"
    r" (?:than )?[$€£]?(\d+(?:,\d{3})*(?:\.\d+)?)(?! ?(?:decimals?|digits?|places?))(\w*)",
    re.IGNORECASE,
)
NUMBERED = re.compile(  # "404 responses", and not "I have 500 rows"
    r"(?<![\w.,:/#$€£%+-])(?<!\bof )(?<!\ball )(?<!\bhave )(?<!\bhas )(?<!\bthe )"
    r"(\d{3})(?![\w.,:/%-]|\.\d)"
)
SENTENCES = re.compile(r"(?<=[.;?!])\s+|\n")
ON_CONDITION = re.compile(  # a limit in it is about the result, not about rows
    r"\b(?:if|whether|otherwise|else|significan\w+|p-values?|coefficients?)\b"
    r"|\ban? (?:\w+ )?(?:number|integer|float|decimal|fraction|percentage|probability)"
    r" (?:between|from)\b",
    re.IGNORECASE,
)
YEAR = re.compile(
    r"\b(?:in|of|during|since|until|before|after|from|for|year) ((?:19|20)\d\d)\b(?![-/.]\d)"
)
WORD = re.compile(r"[^\W\d_]{4,}")
PART = re.compile(r"[^\W\d_]+")
RESULT = re.compile(r"(?<![\w./@-])[a-z]{2,}(?:_[a-z0-9]{2,})+\b(?![./(\w-])")
OF_A_THING = (
    r"\b(?:how (?:many|much)|total|sum of(?: the)?|number of|average|mean|median|highest|lowest"
    r"|maximum|minimum|an?|per)"
)
SAYS_NOTHING = frozenset(("value", "values", "result", "results", "number", "string", "text"))
MONTH = re.compile(
    rf"\b(?:in|of|during|for|since|until|from|before|after|by) ({'|'.join(MONTHS)})\b(?! \d\d?\b)",
    re.IGNORECASE,
)
WEEKDAY = re.compile(rf"\bon (?:an? |every )?({'|'.join(WEEKDAYS)})s?\b(?!,? \d|:)", re.IGNORECASE)
A_DAY = re.compile(
    rf"\bon (?:the )?((\d\d?)(?:st|nd|rd|th)?(?: of)? ({'|'.join(MONTHS)})"
    rf"|({'|'.join(MONTHS)}) (\d\d?)(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
A_TIME = re.compile(r"\bat (\d\d?):(\d\d)\b")
DATE_KNOWN, TIME_KNOWN = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\b\d\d?:\d\d\b")
DAYS_KNOWN = re.compile(r"'(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*'", re.IGNORECASE)
MEASURED = (
    r"\b(?:most|least|fewest|highest|lowest|largest|smallest|biggest|greatest|average|mean|median"
    r"|total|maximum|minimum|max|min|sum of)(?: of)?(?: the| all)? {name}s?\b"
)
EXCLUDED = (
    r"\b(?:except|excepting|without|excluding|exclude|other than|apart from|besides|leav\w+ out"
    r"|ignor\w+|but not|not counting)"
    r"(?: (?:for|the|those|all|any|rows?|ones?|from|in|of|with|where|an?|is|are|that))* {value}\b"
)
NEGATES = re.compile(
    r"!=|~|\bisin\(|\bnot\b|<>|\bdrop\(|\bne\(|(?-i:\bEXCEPT\b)|(?<![-=])-(?!\d)",
    re.IGNORECASE,
)
MEANING = re.compile(
    r"(?<![\w.])(-?\d[\d.]*)[\"']? (?:means|stands for|marks|indicates|denotes|is used for)\b",
    re.IGNORECASE,
)
GROUPS = re.compile(
    r"groupby|value_counts|pivot|crosstab|group by|Counter|set_index|nunique|unique\(",
    re.IGNORECASE,
)

TOTALS = re.compile(r"^Careful: \d+ row\(s\) hold a total \('(.+?)' is '(.+?)'\)$", re.MULTILINE)
OF_ALL_ROWS = re.compile(  # what a row with a total spoils
    r"(?<!\.isna\(\))(?<!\.isnull\(\))(?<!\.duplicated\(\))"
    r"\.(?:sum|mean|median|count|std|var|max|idxmax|nlargest|describe|value_counts|n?unique|drop_duplicates)\("
    r"|\blen\((?:df|data|table|rows?|records?)\)"
)
WITHOUT_SOME = re.compile(
    r"\[:-\d|\.iloc\b|\.loc\[(?:['\"]|[^\]\n]*(?:==|[<>]))|\.query\(|\.drop(?:na)?\(|\.head\(|\bskipfooter\b|\bnrows\b|\bcontinue\b"
    r"|!=|~|\bstartswith\b|\bcontains\b|['\"]\w*\s?totals?\b|\(\)\[['\"][^\]\n]*\](?![.\[])",
    re.IGNORECASE,
)
OF_THE_TOTAL = re.compile(
    r"\b(?:totals?|sum|all|last) (?:row|line|entry)\b|\brows?\b|\bgrand total\b", re.IGNORECASE
)
OF_COLUMNS = re.compile(r"\bcolumns\b|\b(?:longest|shortest)\b", re.IGNORECASE)

MEANS_ALL = frozenset((
    "the",
    "all",
    "any",
    "each",
    "every",
    "our",
    "their",
    "this",
    "that",
    "those",
    "these",
    "them",
    "everyone",
    "everybody",
    "zero",
    "one",
    "more",
    "less",
    "least",
    "data",
))

OF_A_SAMPLE = re.compile(
    r"(?s:\A(?!.*(?:\bddof\b|\bnp\b|numpy|\.values\b|\bstatistics\b)).*)\.(?:std|var)\(\)"
)
NOT_OF_POPULATION = re.compile(
    r"\bsample (?:std|var|standard|dev)|\bsample and\b|\b(?:not|and|than) (?:of )?the population"
    r"|\bpopulation \w+(?: \w+)? (?:is|was) (?:known|given|[\d.])",
    re.IGNORECASE,
)
OF_POPULATION = "the population's deviation, .std(ddof=0) or .var(ddof=0)"
SPELLINGS = (
    "{spelt}, which are one thing in {column!r}, so that it has to be compared by "
    ".str.strip().str.lower()"
)
LEFT_OUT = """\
The request says {conditions}, but the program does not use that. Select only the rows that are \
meant before anything is computed. Write the whole block again."""
IN_DOUBT = "\n\n(Not sure: the request says {conditions}, and the program does not use that.)"


@frozen
class Conditions:
    """What a request says that a program has to use."""

    values: tuple[tuple[str, tuple[str, ...]], ...]
    """Columns, and values of each that the request names, in all their spellings."""
    limits: tuple[str, ...]
    """Numbers and years that rows are selected by."""
    things: tuple[str, ...] = ()
    """What a column is asked about although no column has such a value: units of juice."""
    listed: frozenset[str] = frozenset()
    """The values that the profiles list, which none of these things is."""
    measures: tuple[str, ...] = ()
    """Columns of which the most, the least, the sum or the average is asked for."""
    excluded: tuple[tuple[str, str], ...] = ()
    """Columns and values whose rows are not meant."""
    months: tuple[str, ...] = ()
    """Months that rows are selected by, where there are dates."""
    weekdays: tuple[str, ...] = ()
    """Days of the week that rows are selected by."""
    days: tuple[tuple[str, str, str], ...] = ()
    """Days, as the request says them, with their number and their month."""
    times: tuple[tuple[str, str], ...] = ()
    """Hours and minutes."""
    of_population: bool = False
    """Whether it is the population's deviation that is asked for."""

    @classmethod
    def of(cls, request: str) -> Conditions:
        """Read them from a request that is followed by what is known about its files."""
        words = request.partition("\n\n")[0]
        named = NAMED.findall(request)
        spelt_as = ((column, tuple(map("".join, SPELT.findall(has)))) for column, has in named)
        values = tuple((column, spelt) for column, spelt in spelt_as if spelt)
        values = tuple(one for one in values if one[0] not in _all_named(request, values))
        rows = "\n".join(one for one in SENTENCES.split(words) if not ON_CONDITION.search(one))
        limits = [found for found, unit in LIMIT.findall(rows) if unit.lower() not in ("k", "m")]
        columns = list(dict.fromkeys(COLUMN.findall(request)))
        known = f"{' '.join(columns)} {named}".casefold()
        things = tuple(
            thing
            for thing in _asked_about(words.casefold(), columns)
            if thing not in known and thing not in MEANS_ALL and not thing.endswith("s")
        )
        lists = " ".join(TEXTS.findall(request))
        listed = frozenset("".join(one).strip().casefold() for one in SPELT.findall(lists))
        limits += [*YEAR.findall(words), *MEANING.findall(words), *NUMBERED.findall(rows)]
        measures = tuple(column for column in columns if is_measured(words, column, columns))
        excluded = tuple(
            (column, spelt[0])
            for column, spelt in values
            if any(re.search(EXCLUDED.format(value=re.escape(one)), words, re.I) for one in spelt)
        )
        months = tuple(MONTH.findall(words)) if DATES.search(request) else ()
        limits = list(dict.fromkeys(limits))
        population = _wants_population(words)
        has_days = DATES.search(request) or DAYS_KNOWN.search(request)
        weekdays = tuple(WEEKDAY.findall(words)) if has_days else ()
        there = request[len(words) :]
        dated = [*A_DAY.finditer(words)] if DATE_KNOWN.search(there) else []
        days = tuple((one[1], one[2] or one[5], one[3] or one[4]) for one in dated)
        times = tuple(A_TIME.findall(words)) if TIME_KNOWN.search(there) else ()
        selected = (values, tuple(limits), things, listed, measures, excluded, months, weekdays)
        return cls(*selected, days=days, times=times, of_population=population)

    def left_out(self, one: Round) -> list[str]:
        """Those that a block does not use, in words."""
        if not one.source.strip():
            return []
        program = Program.of(one.source)
        return [
            *(
                f"{spelt[0]!r} (a value of {column!r})"
                for column, spelt in self.values
                if not self._is_used(column, spelt, program, one)
            ),
            *(
                SPELLINGS.format(spelt=" and ".join(map(repr, spelt)), column=column)
                for column, spelt in self.values
                if program.misses_a_spelling_of(spelt, one.source)
            ),
            *(
                f"that {value!r} (a value of {column!r}) is left out: {column!r} != {value!r}"
                for column, value in self.excluded
                if not NEGATES.search(one.source)
            ),
            *(f"{limit!r}" for limit in self.limits if not program.has_number(limit)),
            *(f"{month!r}" for month in self.months if not program.has_month(month)),
            *(f"{day!r}" for day in self.weekdays if not program.has_weekday(day)),
            *(
                repr(said)
                for said, day, month in self.days
                if not (program.has_number(day) and program.has_month(month))
            ),
            *(
                repr(f"{hour}:{minute}")
                for hour, minute in self.times
                if not program.has_time(int(hour), int(minute))
            ),
            *(OF_POPULATION,) * (self.of_population and bool(OF_A_SAMPLE.search(one.source))),
            *(f"{column!r} (a column)" for column in self.measures if not program.names(column)),
            *(
                f"{thing!r}"
                for thing in self.things
                if not program.has_text(thing)
                and (
                    program.selections < len(self.values) + len(self.things)
                    or self._is_another(program)
                )
            ),
        ]

    def _is_another(self, program: Program) -> bool:
        """Whether a program selects by a value that is there and that the request does not name."""
        named = {value.strip().casefold() for _, spelt in self.values for value in spelt}
        return any(text in self.listed - named for text in map(str.strip, program.texts))

    def _is_used(self, column: str, spelt: Sequence[str], program: Program, one: Round) -> bool:
        if any(program.has_text(value) for value in spelt):
            return True
        if program.selections >= len(self.values):  # by what stands beside the value, perhaps
            return True
        if not GROUPS.search(one.source):
            return False
        of_column = sum(name == column for name, _ in self.values)
        shown = any(value.casefold() in one.output.casefold() for value in spelt)
        return of_column > 1 or shown


def _all_named(request: str, values: Iterable[tuple[str, tuple[str, ...]]]) -> set[str]:
    """Columns of which a request names each value that there is, "a note or a coin": that is no
    reason to leave rows out."""
    words, found = request.partition("\n\n")[0].casefold(), set()
    there = {column: SPELT.findall(texts) for column, texts in LISTED.findall(request)}
    spelt = [(column, one) for column, texts in values for one in texts]
    for column, listed in there.items():
        texts = ["".join(one) for one in listed]
        places = [words.find(one.casefold()) for one in texts if (column, one) in spelt]
        if len(places) == len(texts) > 1 and max(places) - min(places) < CLOSE:
            found.add(column)
    return found


def is_measured(words: str, column: str, columns: Iterable[str] = ()) -> bool:
    """Whether a request wants the average, the most and so on of just this column, and not of
    another one that is named right behind it: "the average employee salary"."""
    if len(column) < 2:  # too little to know it by
        return False
    name = r"[\s_]".join(map(re.escape, re.split(r"[\s_]+", column.removesuffix("s"))))
    found = re.search(MEASURED.format(name=name), words, re.IGNORECASE)
    behind = re.match(r"[\s_]+(\w+)", words[found.end() :]) if found else None
    others = {_stem(one.casefold()) for one in columns}
    return bool(found) and not (behind and _stem(behind[1].casefold()) in others)


def _asked_about(words: str, columns: Iterable[str]) -> Iterator[str]:
    """The words in `units of juice`, for every column."""
    for column in columns:
        name = re.escape(column.casefold().removesuffix("s"))
        asked = rf"{OF_A_THING} {name}s? of"
        yield from re.findall(rf"{asked} ([^\W\d_]{{3,}})\b", words)


def conditions_left_out(request: str, one: Round) -> str:
    """What a request says and a block does not use, in words; nothing where all is used."""
    return " and ".join(Conditions.of(request).left_out(one))


def of_population(request: str, source: str) -> str:
    """A program that computes the population's deviation, where a request wants that; the same
    where it does not, or the program says itself which one it computes."""
    words = request.partition("\n\n")[0]
    if not _wants_population(words) or not OF_A_SAMPLE.search(source):
        return source
    return re.sub(r"\.(std|var)\(\)", r".\g<1>(ddof=0)", source)


def _wants_population(words: str) -> bool:
    is_named = re.search(POPULATION, words, re.IGNORECASE)
    return bool(is_named) and not NOT_OF_POPULATION.search(words)


def counts_a_total(request: str, source: str) -> str:
    """The row that holds the total of the others, where a program counts it like them; nothing
    where there is none, or it is meant."""
    words, found = request.partition("\n\n")[0], TOTALS.search(request)
    if found is None or OF_THE_TOTAL.search(words) or OF_COLUMNS.search(words):
        return ""
    selects = Program.of(source).selections or WITHOUT_SOME.search(source)
    column, text = found.groups()
    is_counted = OF_ALL_ROWS.search(source) and not selects
    return f"{column!r} is {text!r}" if is_counted else ""


def results_left_out(request: str, one: Round) -> list[str]:
    """Names that a request gives to its results, as in `mean_age and share_of_women`, of which
    neither the program nor its output has anything."""
    words, _, known = request.partition("\n\n")
    there = {word for text in (one.source, one.output) for word in PART.findall(text.casefold())}
    names = [name for name in dict.fromkeys(RESULT.findall(words)) if name not in known]
    return [name for name in names if _said_last(name) not in there][:3]


def _said_last(name: str) -> str:
    """The last part of a name that says something: `strength` of `strength_value`."""
    parts: list[str] = PART.findall(name.casefold())
    return next((part for part in reversed(parts) if part not in SAYS_NOTHING), parts[-1])


def columns_used(request: str, source: str) -> int:
    """How many of the columns that a request speaks of a program names: `break_min` for "without
    the breaks"."""
    said = {_stem(word) for word in WORD.findall(request.partition("\n\n")[0].casefold())}
    program = Program.of(source)
    return sum(
        program.names(column)
        for column in dict.fromkeys(COLUMN.findall(request))
        if said & {_stem(word) for word in WORD.findall(column.casefold())}
    )


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") else word
