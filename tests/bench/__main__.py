"""Runs the benchmarks and prints their tables: `make bench`, or `python -m tests.bench language`."""

from __future__ import annotations

import argparse
import asyncio
from importlib import import_module

BENCHMARKS = (
    "language",
    "editing",
    "start",
    "sizes",
    "serve",
    "check",
    "plugin",
    "save",
    "folder",
    "memory",
    "call",
    "code",
    "doors",
    "look",
    "planning",
    "site",
    "broker",
    "panel",
    "bundle",
)
"""The modules, each with a `TITLE` and a coroutine `run` that returns Markdown."""


def main() -> None:
    """Run the benchmarks that the command line names, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure against the peers, each in the same run, as ratios.",
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"one of {', '.join(BENCHMARKS)}; default: all"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="of `start`: loads of each page")
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        metavar="NAME,...",
        help="of `start`: these conditions and starts, such as `cold-loopback,page`",
    )
    given = vars(parser.parse_args())
    names = given.pop("names")
    options = {name: value for name, value in given.items() if value is not None}
    if options and names != ["start"]:
        parser.error("`--rounds` and `--only` are for `start` alone; write them behind that name")
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"`{name}` is not a benchmark; write {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        benchmark = import_module(f"tests.bench.{name}")
        print(f"\n## {benchmark.TITLE}\n", flush=True)
        print(asyncio.run(benchmark.run(**options)), flush=True)


main()
