"""A page that has nothing but tools, whose results are mocked or made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webagent.page.fakes import FakePage
from webagent.page.snapshot import Snapshot
from webagent_dev.evals.case import Case
from webagent_dev.evals.toolbox import Toolbox
from webagent_dev.evaluation.expectation import UNSET, ExpectedCall, calls_in
from webagent_dev.evaluation.sample_values import sample_of

ORIGIN = "https://site.example"


class Results:
    """What the tools of one run give.

    An expected call answers the first call of its tool that no other has answered, whatever its
    arguments. Where the case says nothing, the value is made from the tool's declared output, and
    is an empty object if it declares none.
    """

    def __init__(self, case: Case, box: Toolbox) -> None:
        """Answer for a case."""
        self._left: list[ExpectedCall] = [*calls_in(case.expected)]
        self._outputs = box.outputs

    def of(self, name: str) -> Any:
        """Return what a call of a tool gives."""
        expected = next((call for call in self._left if call.name == name), None)
        if expected is not None:
            self._left.remove(expected)
            if expected.mock is not UNSET:
                return expected.mock
        return sample_of(self._outputs.get(name), name)


def mock_page(box: Toolbox, results: Results) -> FakePage:
    """Return a page with the tools of a box."""

    def answers(name: str) -> Callable[..., Any]:
        return lambda *_: results.of(name)

    return FakePage(
        {name: answers(name) for name in box.manifest.tool_names},
        [(tool, answers(tool.target.name)) for tool in box.registered],
        origin=ORIGIN,
        snapshot=Snapshot(url=f"{ORIGIN}/", title=box.manifest.name),
    )
