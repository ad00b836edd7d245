"""Does the tasks with each server, and makes the table of what they cost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.conformance.coding_agent import by_playwright, by_webagent
from tests.conformance.coding_agent.session import count_tokens, session
from tests.conformance.coding_agent.sites import SITES, Site
from tests.conformance.coding_agent.tasks import TASKS, Task

PEERS: dict[str, Any] = {"Playwright's MCP": by_playwright, "webagent-dev": by_webagent}


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
    """Do tasks with each server, each task in a session of its own.

    Each server gets sites of its own, so that it does not meet an open page of the other.

    Args:
        folder: Where the sites are made.
        names: Of the tasks; all if there are none.
        peers: Of the servers.
    """
    chosen = [task for task in TASKS if not names or task.name in names]
    costs = []
    for peer in peers:
        of_peer = folder / PEERS[peer].__name__
        of_peer.mkdir()
        for name, tasks in groupby(chosen, key=lambda task: task.site):
            with SITES[name](of_peer) as site:
                costs += [await _cost(task, peer, site) for task in tasks]
    return costs


async def _cost(task: Task, peer: str, site: Site) -> Cost:
    by = PEERS[peer]
    task.prepare(site)
    await site.until(*task.served)
    async with session(by.connected(site)) as open_session:
        read = await by.WAYS[task.name](open_session, site)
    site.restore()
    done = task.is_done(read)
    if not done:
        print(f"{peer}: {task.name}: {read}", file=sys.stderr)
    tokens = sum(count_tokens(open_session.texts))
    return Cost(task.name, peer, open_session.calls, tokens, open_session.seconds, done)


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
