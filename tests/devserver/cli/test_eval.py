"""`webagent-dev eval`: its arguments, its reports, and its exit codes."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.model_server import ModelServer, Turn, asks, held, refuses, results_of
from tests.provider_turns import answer
from webagent_dev.cli.main import main
from webagent_dev.evals import environments
from webagent_dev.evals.case import Case
from webagent_dev.evals.environments import Setup, SiteEnvironment

TEMPLATE = Path(__file__).parents[3] / "site_template"
MANIFEST = (
    "# Shop\n\n## findShips\n\nFind ships.\n\n### Params\n\n- `query` (string, required): Words.\n\n"
    "### Output\n\n`string`\n\n### Behavior\n\n- effect: read\n"
)


def case(goal: str, expected: Any, name: str = "") -> dict[str, Any]:
    messages = [{"role": "user", "type": "message", "content": goal}]
    return {"name": name or goal, "messages": messages, "expectedCall": expected}


GOOD = case("find ships with sails", [{"functionName": "findShips"}], "Good")
BAD = case("find ships", [{"functionName": "findShips", "arguments": {"query": "x"}}], "Bad")


@pytest.fixture(name="site")
def _site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "good.json").write_text(json.dumps([GOOD]), encoding="utf-8")
    (tmp_path / "both.json").write_text(json.dumps([GOOD, BAD]), encoding="utf-8")
    return tmp_path


def evaluate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["eval", *arguments])


def test_cases_are_chosen_by_name(site: Path) -> None:
    """The others are not run; a name that no case has is an error with the nearest."""
    result = evaluate("both.json", "--schemas-only", "--case", "Good", "--format", "json")
    assert result.exit_code == 0, result.output
    assert [one["name"] for one in json.loads(result.stdout)["runs"]] == ["Good"]
    result = evaluate("both.json", "--schemas-only", "--case", "Goood")
    assert result.exit_code == 2
    assert (
        "`both.json` has no case `Goood` - `--case` takes the name of one - write `Good`"
        in result.output
    )


def test_the_exit_code_is_0_if_all_cases_pass(site: Path) -> None:
    """The exit code is 0, and each case is a line."""
    result = evaluate("good.json", "--schemas-only")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("  passed    Good")
    assert "1 of 1 passed" in result.stdout


def test_the_exit_code_is_1_if_a_case_fails(site: Path) -> None:
    """With the differences between the calls."""
    result = evaluate("both.json", "--schemas-only")

    assert result.exit_code == 1
    assert '`query` is "ships", expected "x"' in result.stdout
    assert "1 of 2 passed, 1 failed" in result.stdout


def test_a_file_of_tools_needs_no_option(site: Path) -> None:
    """A manifest or a file of definitions has no page, so none is opened."""
    tool = {"name": "findShips", "inputSchema": {"type": "object", "required": ["query"],
            "properties": {"query": {"type": "string"}}}, "annotations": {"readOnlyHint": True}}  # fmt: skip
    (site / "tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")

    assert evaluate("good.json", "webagents.md").exit_code == 0
    assert evaluate("good.json", "tools.json").exit_code == 0


@pytest.mark.conformance
def test_the_planner_needs_no_model_where_one_is_configured(site: Path) -> None:
    """`--planner` asks it for nothing; together with a model it cannot be meant."""
    (site / "webagent.toml").write_text(
        '[llm]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "nobody"\n'
    )
    assert evaluate("good.json", "--schemas-only").exit_code == 1
    assert evaluate("good.json", "--schemas-only", "--planner").exit_code == 0

    both = evaluate("good.json", "--schemas-only", "--planner", "--llm-model", "other")
    assert both.exit_code == 2
    assert "leave one of them out" in both.stderr


def test_reports_for_programs_go_to_standard_output(site: Path) -> None:
    """JSON, JUnit and HTML go to standard output, and nothing else does."""
    data = json.loads(evaluate("both.json", "--schemas-only", "--format", "json").stdout)
    assert [run["verdict"] for run in data["runs"]] == ["passed", "failed"]

    xml = evaluate("both.json", "--schemas-only", "--format", "junit").stdout
    assert ElementTree.fromstring(xml)[0].get("failures") == "1"

    html = evaluate("both.json", "--schemas-only", "--format", "html").stdout
    assert html.startswith("<!doctype html>")


def test_a_report_in_a_file(site: Path) -> None:
    """With `-o` the terminal shows the outcomes, and the report goes to the file."""
    result = evaluate("both.json", "--schemas-only", "--format", "html", "-o", "report.html")

    assert "1 of 2 passed, 1 failed" in result.stdout
    assert result.stdout.splitlines()[-1] == "the report is in report.html"
    assert "<!doctype html>" in (site / "report.html").read_text("utf-8")


def test_a_case_can_be_run_several_times(site: Path) -> None:
    """Each case is run as often as `--runs` says."""
    result = evaluate("good.json", "--schemas-only", "--runs", "3")

    assert "3 of 3 passed" in result.stdout
    assert "Good (2 of 3)" in result.stdout


def test_an_unknown_tool_is_reported_first(site: Path) -> None:
    """A slip in a name is on standard error with its line."""
    (site / "slip.json").write_text(json.dumps([case("x", [{"functionName": "findShip"}])]))
    result = evaluate("slip.json", "--schemas-only")

    assert "slip.json:1: `findShip` is expected, and no tool has that name" in result.stderr
    assert result.exit_code == 1


def test_a_deprecated_tool_is_reported_first(site: Path) -> None:
    """The case may pass, and should expect the tool that has its place."""
    (site / "webagents.md").write_text(f"{MANIFEST}- deprecated: use searchShips\n")
    result = evaluate("good.json", "--schemas-only")

    assert (
        "good.json:1: `findShips` is expected, and it is deprecated: use searchShips"
        in result.stderr
    )
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.json"], "`none.json` cannot be read - there is no such file"),
        (["."], "cannot be read"),
        (["webagents.md"], "is not JSON"),
        (["good.json", "nowhere", "--schemas-only"], "`nowhere` does not exist"),
        (["good.json", "--schemas-only", "-o", "x.html"], "`--output` is given without a format"),
        (
            ["good.json", "--schemas-only", "--format", "json", "-o", "no/where.json"],
            "cannot be written",
        ),
        (["good.json", "--schemas-only", "--llm-model", "x"], "`x` has no provider"),
        (["good.json", "--schemas-only", "--model", "x"], "`x` has no provider"),
        (["good.json", "--model", "x", "--llm-model", "y"], "each names a model"),
        (["good.json", "--model", "x", "--model", "x"], "`--model x` is given twice"),
        (["good.json", "--smoke", "--model", "x"], "`--smoke` cannot be used here"),
        (["good.json", "--now", "noon"], "'noon' does not match the formats '%Y-%m-%dT%H:%M'"),
    ],
)
def test_a_usage_error_has_exit_code_2(site: Path, arguments: list[str], told: str) -> None:
    """And one sentence with the remedy."""
    result = evaluate(*arguments)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_a_model_is_called_over_http(site: Path) -> None:
    """The options of `run` name it; the report has its tokens, and the price if it is known."""
    script = (
        asks(("make_plan", {"plan": "I will look."}), prompt=100, completion=5),
        asks(("call_tool", {"name": "findShips", "arguments": {"query": "x"}}), prompt=200, completion=5),
        asks(("finish", {"text": "There.", "success": True}), prompt=300, completion=5),
    )  # fmt: skip
    (site / "bad.json").write_text(json.dumps([BAD]), encoding="utf-8")
    with ModelServer(*script) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
        result = evaluate("bad.json", "--schemas-only", *llm)

    assert result.exit_code == 0, result.output
    assert "model openai-chat:scripted-1, with the tools of ." in result.stdout
    assert "600 + 15 tokens, of unknown price" in result.stdout


def test_a_configured_price_counts(site: Path) -> None:
    """The report names it as such; a reply may have another name of the model."""
    (site / "bad.json").write_text(json.dumps([BAD]), encoding="utf-8")
    end = asks(("finish", {"text": "There.", "success": True}), prompt=1_000_000, completion=0)
    with ModelServer(asks(("make_plan", {"plan": "I will look."})), end, cycle=True) as model:
        (site / "webagent.toml").write_text(
            f'[llm]\nmodel = "house-1"\nbase_url = "{model.url}"\n'
            "prices = { prompt = 1, completion = 0 }\n"
        )
        result = evaluate("bad.json", "--schemas-only")

    assert "USD at configured prices" in result.stdout
    assert " 1.000" in result.stdout


def plays(body: dict[str, Any]) -> Turn:
    """Answer as one of two models: `good` asks for what the cases expect, any other for ships."""
    if results_of(body):
        return asks(("finish", {"text": "There.", "success": True}), prompt=300, completion=5)
    query = "x" if body["model"] == "good" else "ships"
    call = {"name": "findShips", "arguments": {"query": query}}
    return asks(("call_tool", call), prompt=200, completion=5)


def test_a_second_model_takes_over(site: Path) -> None:
    """Each has its own price; a model that is named on the command line has no second one."""
    (site / "bad.json").write_text(json.dumps([BAD]), encoding="utf-8")
    search = {"name": "findShips", "arguments": {"query": "x"}}
    second = (
        answer("messages", "", "call_tool", search),
        answer("messages", "", "finish", {"text": "There.", "success": True}),
    )
    first = (
        asks(("make_plan", {"plan": "I will look."}), prompt=1_000_000, completion=0),
        *[refuses(401, "no")] * 2,
    )
    with ModelServer(*first) as one, ModelServer(*second) as two:
        (site / "webagent.toml").write_text(
            f'[llm]\nmodel = "house-1"\nbase_url = "{one.url}"\n'
            "prices = { prompt = 1, completion = 0 }\n"
            f'[llm.fallback]\nmodel = "anthropic:house-2"\nbase_url = "{two.url}"\n'
            "prices = { prompt = 0, completion = 50_000 }\n"
        )
        result = evaluate("bad.json", "--schemas-only", "--format", "json")
        alone = evaluate("bad.json", "--schemas-only", "--model", "house-3", "--format", "json")

    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    # 1 USD, and two replies of 20 tokens.
    assert (data["runs"][0]["switched"], Decimal(data["usd"])) == (True, 3)
    assert [call["made"]["name"] for call in data["runs"][0]["calls"]] == ["findShips"]
    assert json.loads(alone.stdout)["runs"][0]["verdict"] == "error"
    assert len(two.requests) == 2


def plays_by_name(body: dict[str, Any]) -> Turn:
    """Answer as `plays`, under the name that was asked for."""
    return Turn(plays(body).body.replace(b"scripted-1", body["model"].encode()))


def compared(*arguments: str) -> Result:
    """Compare models of a server in which each request is answered by its model's name."""
    with ModelServer(plays_by_name, cycle=True) as model:
        return evaluate("both.json", "--schemas-only", "--llm-base-url", model.url, *arguments)


def test_models_are_compared_side_by_side(site: Path) -> None:
    """Each runs the same cases; the table has verdict, steps, time and price of each, and totals."""
    result = compared("--planner", "--model", "openai-chat:good", "--model", "openai-chat:other")

    assert result.exit_code == 1, result.output
    lines = [re.sub(r" +", " ", line).strip() for line in result.stdout.splitlines()]
    assert (
        "planner: 1 of 2 passed, 1 failed; openai-chat:good: 2 of 2 passed; openai-chat:other: 1 of 2 passed, 1 failed"
        in lines
    )
    assert re.search(
        r"model openai-chat:good, with the tools of \., in \d\.\d s, 1,000 \+ 20 tokens",
        result.stdout,
    )
    assert lines[-5] == "planner openai-chat:good openai-chat:other"
    assert lines[-4] == " ".join(["steps time USD"] * 3)
    times = r"passed 2 \d\.\d s 0\.0000 passed 2 \d\.\d s unknown passed 2 \d\.\d s unknown"
    assert re.fullmatch(f"Good {times}", lines[-3])
    assert re.match(r"Bad failed .* passed .* failed ", lines[-2])
    assert re.match(r"all 1 of 2 4 .* 2 of 2 4 .* 1 of 2 4 ", lines[-1])


def test_the_comparison_for_programs(site: Path) -> None:
    """JSON has the scores of each case, and the evaluation of each model as `eval` reports it alone."""
    result = compared(
        "--model",
        "openai-chat:good",
        "--model",
        "openai-chat:other",
        "--format",
        "json",
        "--runs",
        "2",
    )

    data = json.loads(result.stdout)
    assert [one["model"] for one in data["evaluations"]] == [
        "openai-chat:good",
        "openai-chat:other",
    ]
    assert [one["passed"] for one in data["evaluations"]] == [4, 2]
    assert data["evaluations"][0]["prompt"] == 2000
    bad = data["cases"][1]
    assert (bad["name"], bad["line"]) == ("Bad", 1)
    assert [(one["model"], one["runs"], one["passed"]) for one in bad["scores"]] == [
        ("openai-chat:good", 2, 2),
        ("openai-chat:other", 2, 0),
    ]
    assert bad["scores"][0]["steps"] == 4
    assert bad["scores"][0]["usd"] is None


def test_the_comparison_as_a_page_and_for_code_hosts(site: Path) -> None:
    """The page has an item for each case with a part for each model; JUnit has a suite for each model."""
    models = ("--model", "openai-chat:good", "--model", "openai-chat:other")
    html = compared(*models, "--format", "html").stdout
    assert html.count("<details") == 2
    assert "expected &quot;x&quot;" in html

    suites = ElementTree.fromstring(compared(*models, "--format", "junit").stdout)
    assert [one.get("name") for one in suites] == [
        "both.json with openai-chat:good",
        "both.json with openai-chat:other",
    ]
    assert [one.get("failures") for one in suites] == ["0", "1"]


def test_a_comparison_keeps_one_limit_in_dollars(site: Path) -> None:
    """The limit holds for all models together; the report says which runs were left out."""
    models = (
        "--model",
        "openai-chat:gpt-4o",
        "--model",
        "openai-chat:gpt-4o-mini",
        "--llm-max-usd",
        "0.001",
    )
    result = compared(*models)

    assert result.exit_code == 1, result.output
    assert (
        "openai-chat:gpt-4o: 1 of 2 passed, 1 not run; openai-chat:gpt-4o-mini: 0 of 2 passed, 2 not run"
        in result.stdout
    )
    assert result.stdout.count("not all were run - the 0.001 USD that it may spend are spent") == 2
    assert re.search(r"Bad +not run .* not run ", result.stdout)
    assert re.search(r"all +1 of 2 .* 0 of 2 ", result.stdout)


@pytest.mark.process
def test_an_interrupt_reports_the_outcomes_so_far(site: Path) -> None:
    """After Ctrl-C what was run so far is summed up, the report is written, and the code is 130."""
    cases = [case("order a pizza", None), case("find ships", None)]
    (site / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    script = (
        asks(("make_plan", {"plan": "I will see."})),
        asks(("finish", {"text": "No.", "success": False})),
        held(),
    )
    with ModelServer(*script) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
        report = ("--format", "json", "-o", "report.json")
        with subprocess.Popen(
            [sys.executable, "-m", "webagent_dev", "eval", "cases.json", "webagents.md", *llm, *report],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell makes programs in the background ignore Ctrl-C, and so the programs that they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as process:  # fmt: skip
            for _ in script:
                model.wait_for_request()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "1 of 2 passed, 1 not run" in out
    assert "not all were run - it was interrupted" in out
    assert err.splitlines() == ["1/2 order a pizza …", "2/2 find ships …"]
    assert json.loads((site / "report.json").read_text("utf-8"))["stopped"] == "it was interrupted"


class Browser(SiteEnvironment):
    """Stands in for a browser that Ctrl-C ends too: what is closed after that is gone."""

    async def __aenter__(self) -> Browser:
        return self

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
            raise AssertionError
            yield
        finally:
            await self.__aexit__()

    async def __aexit__(self, *_: object) -> None:
        raise RuntimeError("the browser is gone")


def test_an_interrupt_that_ends_the_browser_has_exit_code_130(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C in a terminal does; the next case is not begun."""
    monkeypatch.setattr(environments, "SiteEnvironment", Browser)
    # A shell makes programs in the background ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = evaluate("both.json")
    finally:
        signal.signal(signal.SIGINT, before)

    assert result.exit_code == 130, result.output
    assert "0 of 2 passed, 2 not run" in result.stdout
    assert "not all were run - it was interrupted" in result.stdout


def test_the_day_of_the_runs_can_be_said(site: Path) -> None:
    """A case with `tomorrow` passes on any day."""
    (site / "webagents.md").write_text(
        "# Dentist\n\n## bookSlot\n\nBook a slot.\n\n### Params\n\n- `day` (string, required, date): The day.\n",
        encoding="utf-8",
    )
    cases = [case("book a slot for tomorrow", [{"functionName": "bookSlot", "arguments": {"day": "2031-03-01"}}])]  # fmt: skip
    (site / "days.json").write_text(json.dumps(cases), encoding="utf-8")

    assert evaluate("days.json", "--schemas-only").exit_code == 1
    result = evaluate("days.json", "--schemas-only", "--now", "2031-02-28")
    assert result.exit_code == 0, result.output


def test_the_cases_of_the_template_pass() -> None:
    """The shop to start from has cases, and the planner without a model passes all of them."""
    result = evaluate(str(TEMPLATE / "evals.json"), str(TEMPLATE), "--schemas-only")

    assert result.exit_code == 0, result.stdout
