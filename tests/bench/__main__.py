"""Runs the benchmarks and prints their tables: `make bench`, or `python -m tests.bench language`."""

from __future__ import annotations

import argparse
import asyncio
from importlib import import_module
from inspect import signature
from pathlib import Path

from tests.bench.flame import PATHS, flame
from tests.bench.growth import draw
from tests.bench.record import Row, compare, take_rows, write

BENCHMARKS = (
    "language",
    "hostile",
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
    "day",
)
"""The modules, each with a `TITLE` and a coroutine `run` that returns Markdown."""


def main() -> None:
    """Run the benchmarks that the command line names, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure against the peers, each in the same run, as ratios.",
        epilog="`compare A B` lists the changes between two runs: commits, numbers of lines of "
        "the record, or `last`. `growth` draws the growth of the costs from the record. `flame` draws "
        f"where the time of slow paths goes: {', '.join(PATHS)}.",
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
    parser.add_argument("--part", type=float, metavar="X", help="of `day`: 0.1 is a tenth of it")
    parser.add_argument(
        "--checkout", type=Path, metavar="PATH", help="of `flame`: the code before, built there"
    )
    given = vars(parser.parse_args())
    names, checkout = given.pop("names"), given.pop("checkout")
    if said := _said(names, checkout):
        print(said)
        return
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"`{name}` is not a benchmark; write {', '.join(BENCHMARKS)}")
    modules = {name: import_module(f"tests.bench.{name}") for name in names or BENCHMARKS}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if not all(name in signature(one.run).parameters for one in modules.values()):
            parser.error(f"`--{name}` is not for all of these benchmarks; name those it is for")
    found: list[tuple[str, Row]] = []
    try:
        for name, benchmark in modules.items():
            print(f"\n## {benchmark.TITLE}\n", flush=True)
            print(asyncio.run(benchmark.run(**options)), flush=True)
            found += ((name, row) for row in take_rows())
    finally:
        if found:
            write(found)


def _said(names: list[str], checkout: Path | None) -> str:
    """Return the answer of a command about the record or of a profiler, else an empty text."""
    match names:
        case ["compare", before, after]:
            return compare(before, after)
        case ["growth"]:
            return draw()
        case ["flame", *paths]:
            return flame(paths, checkout)
        case _:
            return ""


main()
