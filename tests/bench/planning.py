"""Planning without a model on a page of 100 tools: CPython, and the page's own interpreter in Node."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bench.table import table
from tests.goals.goals import ToolSet, tool_sets
from tests.unpacked import unpacked_bundle

TITLE = "Planning without a model, 100 tools: goal → plan, ms"
TOOLS = 100
GOALS = 200
ROUNDS = 2
"""The first round fills the caches, as the first goals of a visit do, and does not count."""

RUN = Path(__file__).parents[1] / "pyodide" / "run.mjs"
PROGRAM = """
import asyncio, json, time
from datetime import datetime
from webagent.agent.deterministic.planner import DeterministicPlanner
from webagent.agent.run import Run, Scene
from webagent.modelcontext import from_model_context
from webagent.page.offers import Target
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding, Calling, ToolSource

DATA = json.loads({data!r})

async def timed():
    origin = "https://site.example"
    tools = [
        Binding(
            from_model_context(tool), Target("modelContext", tool["name"]), tool["name"],
            ToolSource.MODEL_CONTEXT, Calling.OBJECT, origin=origin,
        )
        for tool in DATA["tools"]
    ]
    scene = Scene(Snapshot(url=origin + "/"), tools, datetime.fromisoformat(DATA["now"]))
    planner = DeterministicPlanner()
    for _ in range(DATA["rounds"]):
        times = []
        for goal in DATA["goals"]:
            start = time.perf_counter()
            await planner.plan(Run(goal, origin, id="bench"), scene)
            times.append((time.perf_counter() - start) * 1000)
    return json.dumps(times)

"""


async def run() -> str:
    """Return the table; the peer is CPython."""
    text = PROGRAM.format(data=json.dumps(_page()))
    here = _output([sys.executable, "-"], text + "print(asyncio.run(timed()))")
    node = ["node", str(RUN), str(unpacked_bundle())]
    page = _output(node, text + "await timed()")
    rows = {"CPython": here, "the page's interpreter": page}
    return table(f"{TOOLS} tools, {GOALS} goals", rows, digits=1)


def _page() -> dict[str, Any]:
    """Return the tools of some sites as if they were of one page, and goals for them."""
    sets = list(tool_sets("training"))
    tools: dict[str, Any] = {}
    used: list[ToolSet] = []
    for one in sets:
        if len(tools) >= TOOLS:
            break
        tools |= {tool["name"]: tool for tool in one.tools}
        used.append(one)
    goals = [goal.text for one in used for goal in one.goals][:GOALS]
    return {
        "tools": list(tools.values())[:TOOLS],
        "goals": goals,
        "now": sets[0].now,
        "rounds": ROUNDS,
    }


def _output(command: list[str], program: str) -> list[float]:
    """Return the times that a process prints."""
    done = subprocess.run(command, input=program, capture_output=True, encoding="utf-8", check=True)
    times: list[float] = json.loads(done.stdout)
    return times
