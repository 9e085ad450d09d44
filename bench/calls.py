"""What a call of the host costs, from Python and the shell in a cell with all walls."""

import os
import re

from bench.table import show
from bench.turns import session

EMPTY = """
import statistics, time
def took(times=300):
    found = []
    for _ in range(times):
        start = time.perf_counter()
        computer.bench.empty()
        found.append(time.perf_counter() - start)
    return sorted(found)
start = time.perf_counter()
computer.bench.empty()
first = time.perf_counter() - start
found = took()
print(f"first={first * 1000:.2f} p50={found[150] * 1000:.2f} p95={found[285] * 1000:.2f}")
start = time.perf_counter()
computer.bench.echo(b"x" * 10_000_000)
print(f"ten={(time.perf_counter() - start) * 1000:.1f}")
"""
SHELL = "time -p (for i in 1 2 3 4 5 6 7 8 9 10; do reploop-call computer.bench.empty; done)"


def main():
    from interpreter.protocol.calls import HostFunction

    schema = {"type": "object", "properties": {"value": {}}}
    functions = (
        HostFunction("computer.bench.empty", "Nothing.", schema, lambda a, c: None, asks=False),
        HostFunction(
            "computer.bench.echo", "The same.", schema, lambda a, c: a["value"], asks=False
        ),
    )
    with session(functions) as run:
        told = run({"language": "python", "code": EMPTY})
        shell = run({"language": "shell", "code": SHELL})
    found = dict(re.findall(r"(first|p50|p95|ten)=([\d.]+)", told))
    each = float(re.search(r"real ([\d.]+)", shell)[1]) * 100
    rows = [
        ("what", "measured", "goal"),
        ("empty call from Python, p50", f"{found['p50']} ms", "<= 2 ms"),
        ("empty call from Python, p95", f"{found['p95']} ms", ""),
        ("first use of `computer` in a kernel", f"{found['first']} ms", "<= 30 ms"),
        ("10 MB there and back", f"{found['ten']} ms", ""),
        ("reploop-call in a shell", f"{each:.0f} ms", ""),
    ]
    show(f"Calls of the host (load {os.getloadavg()[0]:.1f})", rows)
