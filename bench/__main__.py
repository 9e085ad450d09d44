"""python -m bench [NAME ...]: run all benchmarks, or those named."""

import importlib
import pkgutil
import sys

import bench

APART = {"table", "small", "injection"}  # a helper, and those that want data or take long


def names():
    return [module.name for module in pkgutil.iter_modules(bench.__path__)]


def main(wanted):
    for name in wanted or [n for n in names() if n not in APART and not n.startswith("_")]:
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
