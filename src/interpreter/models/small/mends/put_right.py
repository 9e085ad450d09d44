"""What is put right in a program without asking the model: before it runs, once it has run, and
when it has failed."""

from __future__ import annotations

from contextlib import suppress

from interpreter.models.small.checks.conditions import of_population
from interpreter.models.small.form.rendering import with_braces_filled, with_patterns
from interpreter.models.small.mends.dates import with_dates
from interpreter.models.small.mends.gaps import (
    with_fewer_dropped,
    with_gaps_left_out,
    without_rows_with_gaps,
)
from interpreter.models.small.mends.products import with_products_summed
from interpreter.models.small.mends.slips import (
    after_error,
    as_profiles_say,
    to_be_run,
    without_slips,
)
from interpreter.models.small.mends.warned_of import as_warned


def before_it_runs(question: str, source: str) -> str:
    """A program that nobody has seen yet."""
    with suppress(RecursionError):  # of sums of hundreds of terms
        return _with_its_rows(question, as_profiles_say(question, to_be_run(source)))
    return source


def once_it_ran(question: str, source: str, output: str) -> str:
    """A program that printed this."""
    with suppress(RecursionError):
        better = without_slips(with_braces_filled(source, output))
        return _with_its_rows(question, with_patterns(better))
    return source


def when_it_failed(question: str, source: str, error: str) -> str:
    """A program that failed with this error."""
    with suppress(RecursionError):
        for mend in (after_error, with_dates, without_rows_with_gaps):
            if (better := mend(question, source, error)) != source:
                return better
    return source


def _with_its_rows(question: str, source: str) -> str:
    """A program that uses the rows which are meant, and computes what is meant of them."""
    summed = with_products_summed(question, source)
    whole = with_gaps_left_out(question, with_fewer_dropped(question, summed))
    return of_population(question, as_warned(question, whole))
