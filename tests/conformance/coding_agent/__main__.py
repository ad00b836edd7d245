"""Does the ten tasks and prints the table: `python -m tests.conformance.coding_agent`."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.conformance.coding_agent.comparison import PEERS, compare, table


def main() -> None:
    """Do the tasks that the command line names, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance.coding_agent",
        description="Ten tasks of a coding agent: calls, tokens and seconds.",
    )
    parser.add_argument("names", nargs="*", metavar="task", help="its name; default: all")
    parser.add_argument("--only", choices=PEERS, help="one of the servers")
    given = parser.parse_args()
    peers = [given.only] if given.only else [*PEERS]
    with tempfile.TemporaryDirectory() as folder:
        print(table(asyncio.run(compare(Path(folder), given.names, peers))))


main()
