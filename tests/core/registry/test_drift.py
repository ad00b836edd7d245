"""Where a page is not what its manifest says."""

from typing import Any

import pytest

from webagent.checks import check
from webagent.page.fakes import FakePage
from webagent.page.offers import Arity, Offers, PageTool, Target
from webagent.registry import ToolRegistry
from webagent.registry.drift import Drift

TEXT = """# Shop

## search
Find.

### Params
- `query` (string, required): Words.

### Output
```typescript
{ price: number }[]
```

## pay
Pay.

### Params

### Behavior
- paths: /cart
"""


def told(offers: Offers, text: str = TEXT) -> list[tuple[str, str | None, int]]:
    """Return rule, tool and line of each finding."""
    report = check(text)
    found = Drift(report.manifest, report.tools).findings(offers)
    return [(f.rule, f.tool, report.source.position(f.span.start).line) for f in found]


def test_a_page_that_has_everything_has_no_drift() -> None:
    """Functions that fit, and tools of other pages, are not findings."""
    assert told(Offers({"search": Arity(1, 1)})) == []


def test_a_missing_function_is_reported_at_its_heading() -> None:
    """A tool that belongs to this page and is nowhere is missing."""
    assert told(Offers(path="/cart")) == [
        ("missing-function", "search", 3),
        ("missing-function", "pay", 14),
    ]


@pytest.mark.parametrize(
    "target", [Target("form", "search"), Target("component", "arch", component="se")]
)
def test_a_registered_tool_is_not_missing(target: Target) -> None:
    """A form, a script's or a component's tool of that name is as good as a function."""
    text = TEXT.replace("## search", "## se_arch") if target.component else TEXT
    assert told(Offers(tools=(PageTool(target),)), text) == []


def test_a_components_tool_is_there_under_its_composed_name_only() -> None:
    """And what another origin offers does not count."""
    component = PageTool(Target("component", "search", component="cart"))
    foreign = PageTool(Target("modelContext", "search", frame=1, origin="https://ads.example"))

    assert told(Offers(tools=(component, foreign), origin="o")) == [
        ("missing-function", "search", 3)
    ]


@pytest.mark.parametrize(
    ("arity", "said"),
    [
        (Arity(2, 2), "the function `search` takes 2 arguments, but the manifest declares 1"),
        (Arity(0, 0), "the function `search` takes no argument, but the manifest declares 1"),
    ],
)
def test_another_number_of_arguments_is_reported(arity: Arity, said: str) -> None:
    """More than declared, or fewer, is a warning."""
    report = check(TEXT)
    (finding,) = Drift(report.manifest, report.tools).findings(Offers({"search": arity}))

    assert finding.rule == "wrong-arity"
    assert finding.message == said


@pytest.mark.parametrize("arity", [Arity(0, None), Arity(1, 3), Arity(0, 1)])
def test_a_function_that_may_take_them_is_well(arity: Arity) -> None:
    """Defaults, rest parameters and further optional ones are not drift."""
    assert told(Offers({"search": arity})) == []


def test_undeclared_functions_are_reported_once_each() -> None:
    """They are at the start of the file, for there is no better place."""
    offers = Offers({"search": Arity(1, 1)}, undeclared=("getCart", "setCart"))

    assert told(offers) == [("undeclared-function", None, 1), ("undeclared-function", None, 1)]


async def test_a_result_of_another_type_is_reported_until_a_call_fits() -> None:
    """The finding has the path of the mismatch; a later good result takes it away."""
    value: Any = [{"price": "9.50"}]
    report = check(TEXT)
    drift = Drift(report.manifest, report.tools)
    news: list[bool] = []
    page = FakePage({"search": lambda query: value})
    registry = ToolRegistry(page, on_result=lambda b, v: news.append(drift.check_result(b, v)))
    await registry.bind(report.manifest)

    await registry.call("search", ["a"])
    await registry.call("search", ["a"])
    (finding,) = drift.findings(registry.offers)
    value = [{"price": 9.5}]
    await registry.call("search", ["a"])

    assert finding.message == (
        "`search` did not return what its output declares: [0].price: expected number, got string"
    )
    assert news == [True, False, True]
    assert drift.findings(registry.offers) == []


def test_unknown_values_of_data_agent_are_reported_at_the_top() -> None:
    """Each once, with the values that there are."""
    report = check(TEXT)
    offers = Offers({"search": Arity(1, 1)}, unknown_modes=("ignored", "hide"))
    found = Drift(report.manifest, report.tools).findings(offers)

    assert [f.rule for f in found] == ["unknown-agent-mode"] * 2
    assert (
        found[0].message
        == 'the page at `/` has `data-agent="ignored"`, which closes nothing to agents'
    )
    assert found[0].help == "write `ignore`, `mask` or `readonly`"
