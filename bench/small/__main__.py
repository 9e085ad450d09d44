"""How well the built-in model does with our help, beside a single shot of the same model.

    python -m bench.small [everyday|dabench|exercism|quixbugs] [N]
                          [--forms F,F] [--seeds S,S] [--ways W,W] [--log FILE] [--share 2/3]
                          [--part development|held-out] [--data DIR]

Every case is asked in every form, in both ways, with every seed, on the same engine. A seed of 0 is
the model as it is shipped, greedy. Time is compared by the first seed: what the engine has read for
it, it need not read again for the others. With a log, a run goes on where the one before stopped,
and nothing is asked twice; several runs can share the work, each with its --share. `--report` only
prints what a log holds.
"""

import argparse
import itertools
import json
import os
import statistics
import sys
from fnmatch import fnmatch
from pathlib import Path

from bench.small import coding, dabench, everyday
from bench.small.club import club
from bench.small.desk import desk
from bench.small.errands import errands
from bench.small.field import field
from bench.small.messy import messy
from bench.small.office import office
from bench.small.travel import travel
from bench.small.ways import WAYS, Result, measured
from bench.small.workshop import workshop
from bench.table import show

DATA = os.environ.get("REPLOOP_BENCH_DATA", "../shared/data")
SETS = ("everyday", "dabench", "exercism", "quixbugs")
WAYS_COMPARED = ("single", "ours")
GOALS = {"dabench": 1.25, "everyday": 1.6}


def main(arguments=()):
    options = _options(arguments)
    if options.log:
        Path(options.log).open("a").close()  # what cannot be written is better known before
    known = _known(options.log)
    results = []
    for case, seed, way in _work(options):
        result = known.get((case.identity, case.form, way, seed))
        if result is None and options.report:
            continue
        if result is None:
            result = measured(case, way, seed)
            _note(result, options.log)
        results.append(result)
    _report(options.set, results)


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m bench.small")
    parser.add_argument("set", nargs="?", choices=SETS, default="everyday")
    parser.add_argument("n", nargs="?", type=int, default=None, help="so many questions a form")
    parser.add_argument(
        "--forms",
        default=",".join(dabench.FORMS),
        help=f"of dabench; also {', '.join(dabench.MORE_FORMS)}",
    )
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--ways", default="single,ours", help="free: ours without a grammar")
    parser.add_argument(
        "--only", help="cases by their names, with commas between them; field-* for several"
    )
    parser.add_argument("--part", choices=("development", "held-out"))
    parser.add_argument("--data", default=DATA, help="holds a directory for each set")
    parser.add_argument("--log")
    parser.add_argument("--share", default="1/1", help="2/3: the second of every three questions")
    parser.add_argument("--report", action="store_true")
    return parser.parse_args(arguments)


def _work(options):
    """What is to be asked: all ways of one question together, so that a part says something."""
    data, forms = Path(options.data) / options.set, options.forms.split(",")
    match options.set:
        case "dabench":
            by_form = [dabench.cases(form, data, options.part) for form in forms]
        case "everyday":
            together = itertools.zip_longest(
                everyday.cases(),
                messy(),
                office(),
                field(),
                errands(),
                workshop(),
                desk(),
                club(),
                travel(),
            )
            by_form = [[case for cases in together for case in cases if case]]
        case name:
            by_form = [getattr(coding, name)(data)]
    first, step = map(int, options.share.split("/"))
    wanted = options.only.split(",") if options.only else None
    seeds = [int(seed) for seed in options.seeds.split(",")]
    for together in list(zip(*by_form, strict=True))[: options.n][first - 1 :: step]:
        for case, way, seed in itertools.product(together, options.ways.split(","), seeds):
            if wanted is None or any(fnmatch(case.identity, one) for one in wanted):
                yield case, seed, way


def _known(log):
    """The results that a log holds already."""
    if not log or not Path(log).exists():
        return {}
    lines = Path(log).read_text().splitlines()
    kept = [Result(**json.loads(line)) for line in lines if line.endswith("}")]
    return {one.key: one for one in kept}


def _note(one, log):
    said = f"{one.way:6} {one.form:9} seed {one.seed} {one.identity:26} {one.kind:14}"
    print(f"{said} {one.seconds:5.0f} s", flush=True)
    if log:
        with Path(log).open("a") as file:
            file.write(json.dumps(vars(one)) + "\n")


def _report(name, results):
    head = ("form", "way", "right", "of", "mean", "spread", "sure, wrong", "invented", "touched")
    rows = [(*head, "s/question", "blocks")]
    forms = list(dict.fromkeys(one.form for one in results))
    for form, way in itertools.product(forms, WAYS):
        each = [one for one in results if (one.form, one.way) == (form, way)]
        if each:
            rows.append((form, way, *_row(each)))
    show(f"{name}, built-in model", rows)
    for form in forms:
        _compare(form, [one for one in results if one.form == form], GOALS.get(name))
    _beside_the_best(results)
    for way in dict.fromkeys(one.way for one in results):
        kinds = [one.kind for one in results if one.way == way and not one.right]
        counts = ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))
        print(f"  {way} failed by: {counts or 'nothing'}")


def _row(each):
    shares = []
    for seed in sorted({one.seed for one in each}):
        of_seed = [one.right for one in each if one.seed == seed]
        shares.append(sum(of_seed) / len(of_seed))
    spread = statistics.stdev(shares) if len(shares) > 1 else 0.0
    return (
        sum(one.right for one in each),
        len(each),
        f"{statistics.mean(shares):.0%}",
        f"{spread:.1%}",
        sum(one.sure for one in each),
        sum(one.invented for one in each),
        sum(one.kind == "touched files" for one in each),
        f"{statistics.mean(one.seconds for one in each):.0f}",
        f"{statistics.mean(one.blocks for one in each):.1f}",
    )


def _compare(form, results, goal):
    """The ratio over the questions that both ways were asked, of all seeds and of each."""
    keys = [{one.key[::3] for one in results if one.way == way} for way in WAYS_COMPARED]
    both = [one for one in results if one.key[::3] in keys[0] & keys[1]]
    seeds = sorted({one.seed for one in both})
    if not any(one.right for one in both if one.way == "single"):
        return
    aim = f" (goal: {goal})" if goal else ""
    of_seeds = ", ".join(_ratio([one for one in both if one.seed == seed]) for seed in seeds)
    each = f", by seed {of_seeds}" if len(seeds) > 1 else ""
    time = {way: _seconds(both, way, seeds[0]) for way in WAYS_COMPARED}
    times = f"time {time['ours'] / max(time['single'], 0.1):.1f} × (goal: at most 2.5)"
    print(f"  {form}: ours / single shot {_ratio(both)}{each}{aim}, {times}")


def _ratio(results):
    single, ours = (sum(one.right for one in results if one.way == way) for way in WAYS_COMPARED)
    return f"{ours / single:.2f}" if single else f"{ours} to 0"


def _seconds(results, way, seed):
    return sum(one.seconds for one in results if (one.way, one.seed) == (way, seed))


def _beside_the_best(results):
    """How each form stands to the best one, in our way."""
    ours = [one for one in results if one.way == "ours"]
    shares = {
        form: statistics.mean(one.right for one in ours if one.form == form)
        for form in dict.fromkeys(one.form for one in ours)
    }
    if len(shares) > 1 and (best := max(shares.values())):
        told = ", ".join(f"{form} {share / best:.2f}" for form, share in shares.items())
        print(f"  ours, of the best form: {told} (goal: 0.9)")


if __name__ == "__main__":
    main(sys.argv[1:])
