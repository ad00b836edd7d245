"""Does the tasks with each server, and makes the table of what they cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.conformance.coding_agent import by_playwright
from tests.conformance.coding_agent.session import count_tokens, session
from tests.conformance.coding_agent.sites import SITES
from tests.conformance.coding_agent.tasks import TASKS

PEERS: dict[str, Any] = {"Playwright's MCP": by_playwright}


@dataclass(frozen=True)
class Cost:
    """The price of one task with one server."""

    task: str
    peer: str
    calls: int
    tokens: int
    """Of the list of tools, the calls and their results."""
    seconds: float
    is_done: bool


async def compare(folder: Path, names: Sequence[str], peers: Sequence[str]) -> list[Cost]:
    """Do tasks, each with each server, in a session of its own.

    Args:
        folder: Where the sites are made.
        names: Of the tasks; all if there are none.
        peers: Of the servers.
    """
    costs = []
    chosen = [task for task in TASKS if not names or task.name in names]
    for name, tasks in groupby(chosen, key=lambda task: task.site):
        with SITES[name](folder) as site:
            for task in tasks:
                task.prepare(site)
                for peer in peers:
                    by = PEERS[peer]
                    async with session(by.connected(site)) as open_session:
                        read = await by.WAYS[task.name](open_session, site)
                    tokens = sum(count_tokens(open_session.texts))
                    done = task.is_done(read)
                    if not done:
                        print(f"{peer}: {task.name}: {read}", file=sys.stderr)
                    spent = (open_session.calls, tokens, open_session.seconds, done)
                    costs.append(Cost(task.name, peer, *spent))
                site.restore()
    return costs


def table(costs: Sequence[Cost]) -> str:
    """Return the costs as Markdown; the last row adds them up."""
    peers = list(dict.fromkeys(cost.peer for cost in costs))
    columns = ("calls", "tokens", "s", "done")
    cells = [f"{peer}: {column}" for peer in peers for column in columns]
    lines = ["| task | " + " | ".join(cells) + " |", "|---|" + "--:|" * len(cells)]
    for name in dict.fromkeys(cost.task for cost in costs):
        of_task = [next(c for c in costs if (c.task, c.peer) == (name, peer)) for peer in peers]
        lines.append(_row(name, [[cost] for cost in of_task]))
    lines.append(_row("all", [[c for c in costs if c.peer == peer] for peer in peers]))
    return "\n".join(lines)


def _row(name: str, of_peers: Sequence[Sequence[Cost]]) -> str:
    cells = []
    for costs in of_peers:
        cells += [str(sum(c.calls for c in costs)), str(sum(c.tokens for c in costs))]
        done = sum(c.is_done for c in costs)
        cells += [f"{sum(c.seconds for c in costs):.1f}", f"{done} of {len(costs)}"]
    return f"| {name} | " + " | ".join(cells) + " |"
