"""Sites of Python functions, and what proving them gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from webagent.checks import check
from webagent.page.fakes import FakePage
from webagent.page.port import CallTool
from webagent.results import ExecutionResult
from webagent_dev.contract.harness import FakeHarness, PageEvent
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.proof import Proof, SiteReport, ToolReport
from webagent_dev.contract.site_prover import Prover
from webagent_dev.reports.content import Verdict

Functions = Mapping[str, Callable[..., Any]]

_CALL = re.compile(r"global\.(\w+)\((.*?)\);")


def tool(
    name: str,
    params: str = "",
    output: str = "",
    sample: str = "",
    behavior: str = "effect: read",
) -> str:
    """Return the section of a tool; lines of behavior are separated by `;`."""
    parts = [f"## {name}", "Does something.", f"### Params\n{params}"]
    parts += [f"### Output\n```typescript\n{output}\n```"] if output else []
    parts += [f"### Sample Code\n```js\n{sample}\n```"] if sample else []
    lines = "\n".join(f"- {line.strip()}" for line in behavior.split(";") if line.strip())
    parts += [f"### Behavior\n{lines}"] if lines else []
    return "\n\n".join(parts)


def manifest(*tools: str) -> str:
    """Return a manifest."""
    return "\n\n".join(["# Shop", *tools]) + "\n"


async def program(code: str, call: CallTool) -> ExecutionResult:
    """Make the calls in a program, with plain arguments, as a sandbox would."""
    result = ExecutionResult()
    for name, inside in _CALL.findall(code):
        result = await call(name, eval(f"[{inside}]"))
        if result.error is not None:
            break
    return result


class World:
    """A site whose functions may keep data and record events.

    Attributes:
        pending_events: Events of the open page; functions write into it.
        harness: Opens its pages.
    """

    def __init__(self, make: Callable[[World], Functions], **page: Any) -> None:
        self.pending_events: list[PageEvent] = []
        self._make = make
        self._page = page
        self.harness = FakeHarness(self.open)

    def open(self, pending_events: list[PageEvent]) -> FakePage:
        """Make a page."""
        self.pending_events = pending_events
        kind = self._page.get("kind", FakePage)
        page: FakePage = kind(
            self._make(self),
            program=self._page.get("program", program),
            tools=self._page.get("tools", ()),
        )
        page.undeclared = self._page.get("undeclared", ())
        return page


async def prove(
    text: str,
    functions: Functions | World,
    *,
    permission: Permission | None = None,
    seed: int = 0,
    timeout_s: float = 10.0,
    late_s: float = 0.0,
    **options: Any,
) -> SiteReport:
    """Return what comes of proving a manifest against a site."""
    world = functions if isinstance(functions, World) else World(lambda _: functions)
    prover = Prover(
        world.harness,
        check(text),
        site="my-shop",
        permission=permission or Permission(),
        seed=seed,
        timeout_s=timeout_s,
        late_s=late_s,
        now=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        **options,
    )
    return await prover.run()


def proof(report: SiteReport, name: str, of: int | str = 0) -> Proof:
    """Return a proof of a tool, by default of the first."""
    return next(p for p in one(report, of).proofs if p.name == name)


def one(report: SiteReport, of: int | str = 0) -> ToolReport:
    """Return a tool of a report, by its place or its name."""
    if isinstance(of, int):
        return report.tools[of]
    return next(tool for tool in report.tools if tool.name == of)


def failed(report: SiteReport, of: int | str = 0) -> list[str]:
    """Return the names of the proofs that failed."""
    return [p.name for p in one(report, of).proofs if p.verdict is Verdict.FAILED]


FIND = tool(
    "find",
    "- `query` (string, required): Words.\n- `limit` (number, optional, default=5): Most.",
    "{\n  titles: string[];\n  total: number;\n}",
    'const { titles } = await global.find("tea");',
)
SHOP = manifest(FIND)


def find(query: str, limit: float = 5) -> dict[str, Any]:
    """Do what `SHOP` promises."""
    return {"titles": [query], "total": 1}


def line(text: str, words: str) -> int:
    """Return the number of the first line with these words."""
    return next(n for n, row in enumerate(text.splitlines(), 1) if words in row)
