"""`--native`: Chromium with its own WebMCP, in `test`, `eval` and the pytest plugin."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.chromium import find_chromium
from tests.e2e.command import in_process

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.chromium("no other browser has WebMCP"),
]

SAME = """<!doctype html><title>shop</title>
<form toolname="find" tooldescription="Finds books" toolautosubmit>
  <label>Title <input name="title" toolparamtitle="Title of the book"></label><button>Find</button>
</form>
<script>
  globalThis.heard = [];
  addEventListener("toolactivated", ({ toolName }) => heard.push(toolName));
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.agentInvoked) event.respondWith({ found: [] });
  });
  document.modelContext.registerTool({
    name: "add", description: "Adds numbers", annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    execute: ({ a }) => ({ sum: a, ...(/native code/.test(String(document.modelContext.registerTool)) && { native: a }) }),
  });
</script>
"""
# Tools by the implementation that the page finds.
DIFFERENT = f"""{SAME}<script>
  const native = /native code/.test(String(document.modelContext.registerTool));
  for (const name of native ? ["only_native"] : ["only_ours"])
    document.modelContext.registerTool({{ name, description: "d", execute: () => 1 }});
  document.querySelector("form").setAttribute("tooldescription", native ? "Finds" : "Seeks");
</script>"""


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text(SAME)
    (site / "different.html").write_text(DIFFERENT)
    return site


@pytest.mark.conformance
async def test_contract_test(site: Path, tmp_path: Path) -> None:
    """Calls go through the browser's own; titles of parameters are no difference."""
    report = tmp_path / "report.json"
    code, printed, _ = await in_process("test", site, "--native", "--format", "json", "-o", report)
    assert code == 0, printed
    tools = {tool["name"]: tool for tool in json.loads(report.read_text())["tools"]}
    assert "native" in tools["add"]["observed"]
    assert set(tools) == {"add", "find"}


@pytest.mark.conformance
async def test_contract_test_finds_differences(site: Path, tmp_path: Path) -> None:
    """A tool that one of them lacks, and one that both have otherwise, fail by name."""
    (site / "index.html").write_text(DIFFERENT)
    report = tmp_path / "report.json"
    code, printed, _ = await in_process("test", site, "--native", "--format", "json", "-o", report)
    assert code == 1, printed
    told = {
        tool["name"]: proof["message"]
        for tool in json.loads(report.read_text())["tools"]
        for proof in tool["proofs"]
        if proof["name"] == "native"
    }
    assert told.keys() == {"find", "only_native", "only_ours"}
    assert '`description` is "Finds" there, "Seeks" here' in told["find"]
    assert "registered with Chromium and not with modelcontext.js" in told["only_native"]
    assert "registered with modelcontext.js and not with Chromium" in told["only_ours"]
    assert all(f"[native] `{name}`" in printed or name == "find" for name in told)
    code, printed, _ = await in_process("test", site)
    assert code == 0, printed


CASES = [
    {
        "messages": [{"role": "user", "content": "call find with title Emma"}],
        "expectedCall": [{"functionName": "find", "arguments": {"title": "Emma"}}],
    }
]


@pytest.mark.parametrize(
    ("page", "differs"),
    [("", False), pytest.param("different.html", True, marks=pytest.mark.conformance)],
)
async def test_evaluation(site: Path, tmp_path: Path, page: str, differs: bool) -> None:
    """The report has the differences of the page, and the evaluation fails."""
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps(CASES))
    code, printed, _ = await in_process(
        "eval", cases, site, "--page", page, "--native", "--format", "json"
    )
    data = json.loads(printed)
    assert bool(data.get("differences")) is differs
    if differs:
        assert code == 1
        assert any("only_ours" in text for text in data["differences"])


async def test_evaluation_without_a_page(site: Path, tmp_path: Path) -> None:
    """Without a page there is no browser to start so."""
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps(CASES))
    code, _, complaint = await in_process("eval", cases, site, "--schemas-only", "--native")
    assert code == 2
    assert "`--native` is given, and no page is opened" in complaint


TESTS = """
import pytest

def test_events_and_the_own_registry(agent_page):
    assert agent_page.evaluate("/^function get modelContext.*native code/s.test(String(Object"
        ".getOwnPropertyDescriptor(Document.prototype, 'modelContext').get))")
    agent_page.evaluate("webagent.call('add', {a: 1})")
    assert agent_page.evaluate("heard") == ["add"]

@pytest.mark.webagent(path="/different.html")
def test_another(agent_page):
    pass
"""


@pytest.mark.conformance
async def test_pytest_plugin(site: Path) -> None:
    """The browser of the fixtures has its own WebMCP, and a page that differs fails."""
    (site / "webagents.md").write_text("# Shop\n")
    (site / "test_site.py").write_text(TESTS)
    environment = dict(os.environ) | {"CHROMIUM": str(find_chromium())}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-p", "no:xdist", "--color=no", "--webagent-native"),
        cwd=site,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output = (await process.communicate())[0].decode()
    assert re.search(r"1 passed, 1 error", output), output
    assert "`only_ours` is registered with modelcontext.js and not with Chromium" in output
