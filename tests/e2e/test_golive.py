"""`webagent-dev check https://…`: the page itself, in a headless browser."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Serve
from tests.e2e.static_host import StaticHost

PAGE = "<!doctype html><meta name=webagents-md content=/webagents.md><script>%s</script>"
MANIFEST = """\
# Shop

Sells books.

## searchBooks
Find books.

### Params

### Output
`string`

## payOrder
Pay.

### Params

### Output
`void`

### Behavior
- paths: /checkout.html
"""


async def check(url: str, **environment: str) -> tuple[int, list[dict[str, Any]], str]:
    """Run the command; return its exit code, the findings, and what it says of itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", "check", url, "--format", "json"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    reports = json.loads(out) if out else []
    found = [finding for report in reports for finding in report["findings"]]
    return process.returncode or 0, found, err.decode()


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    (tmp_path / "webagents.md").write_text(MANIFEST)
    (tmp_path / "checkout.html").write_text(PAGE % "window.payOrder = () => 1")
    return tmp_path


def headers(path: str) -> dict[str, str]:
    return {"cache-control": "no-cache"}


@pytest.mark.conformance
async def test_a_tool_without_a_function_is_found(site: Path) -> None:
    """This page does not lack the tools of another."""
    (site / "index.html").write_text(PAGE % "")
    with StaticHost(site, headers) as host:
        code, found, _ = await check(host.url)

    missing = [finding for finding in found if finding["rule"] == "tool-not-there"]
    assert code == 1
    assert len(missing) == 1
    assert "`searchBooks`" in missing[0]["message"]
    assert missing[0]["span"]["start"] == {"line": 5, "column": 4}


@pytest.mark.conformance
async def test_a_tool_is_looked_for_on_the_page_that_it_names(site: Path) -> None:
    """Which has to be there, and to have it."""
    (site / "index.html").write_text(PAGE % "window.searchBooks = () => 1")
    said = []
    with StaticHost(site, headers) as host:
        (site / "checkout.html").write_text(PAGE % "")
        said += (await check(host.url))[1]
        (site / "checkout.html").unlink()
        said += (await check(host.url))[1]

    problems = [one["message"] for one in said if one["rule"] == "tool-not-there"]
    assert "`payOrder` cannot be called on" in problems[0]
    assert "checkout.html`: the page has no function" in problems[0]
    assert "it answers with status 404" in problems[1]


@pytest.mark.conformance
async def test_a_form_is_a_tool_of_a_page_without_an_agent(site: Path) -> None:
    """So is what a script registers."""
    form = '<form toolname="searchBooks" tooldescription="Find."><input name="q"><button>Go</button></form>'
    (site / "index.html").write_text(PAGE % "" + form)
    with StaticHost(site, headers) as host:
        code, found, _ = await check(host.url)

    assert (code, [finding["rule"] for finding in found]) == (0, ["manifest-charset"])


@pytest.mark.conformance
async def test_a_tool_that_comes_late_is_there(site: Path) -> None:
    """Scripts may take their time after the page was loaded."""
    (site / "index.html").write_text(
        PAGE
        % "addEventListener('load', () => setTimeout(() => { window.searchBooks = () => 1 }, 500))"
    )
    with StaticHost(site, headers) as host:
        code, found, _ = await check(host.url)

    assert code == 0
    assert [finding["rule"] for finding in found] == ["manifest-charset"]


@pytest.mark.conformance
async def test_tools_of_a_page_with_an_agent_are_asked_of_it(serve: Serve, shop: Path) -> None:
    """The registry says which can be called, and why one cannot."""
    manifest = shop / "webagents.md"
    manifest.write_text(manifest.read_text("utf-8") + "\n## flyAway\nFly.\n\n### Params\n", "utf-8")
    code, found, _ = await check(serve(shop).url)

    missing = [finding for finding in found if finding["rule"] == "tool-not-there"]
    assert code == 1
    assert [("`flyAway`" in finding["message"]) for finding in missing] == [True]


@pytest.mark.conformance
async def test_rules_of_published_sites_can_be_left_out_for_good(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `webagent.toml`, as those of manifests."""
    (site / "index.html").write_text(PAGE % "window.searchBooks = () => 1")
    (site / "webagent.toml").write_text('[checks]\nignore = ["manifest-charset"]\n')
    monkeypatch.chdir(site)
    with StaticHost(site, headers) as host:
        code, found, _ = await check(host.url)

    assert (code, found) == (0, [])


ROUTES = """\
document.body.innerHTML = `<a href="repair.html">Repair</a> <a href="files.zip">All</a>`
    + (location.pathname === "/" && LOGIN ? "<input type=password>" : "");
"""


@pytest.mark.parametrize(
    ("login", "place"),
    [
        pytest.param("true", "after a login", marks=pytest.mark.conformance),
        pytest.param("true", "", marks=pytest.mark.conformance),
        pytest.param("false", "", marks=pytest.mark.conformance),
    ],
)
async def test_tools_of_another_route_or_of_a_login_are_no_errors(
    tmp_path: Path, login: str, place: str
) -> None:
    """Linked pages are looked at; a tool that is nowhere is an error, unless a login may bring it.

    A manifest that names a tool which needs a login leaves no doubt about the others.
    """
    names = ("searchBooks", "repairBike", "nowhere")
    text = "".join(f"## {name}\nDo.\n\n### Params\n\n### Output\n`void`\n\n" for name in names)
    if not place:
        text += "## getOrders\nDo.\n\n### Params\n\n### Behavior\n- requires login\n"
    (tmp_path / "webagents.md").write_text(f"# Shop\n\nBooks.\n\n{text}")
    script = ROUTES.replace("LOGIN", login)
    (tmp_path / "index.html").write_text(
        PAGE
        % f"addEventListener('load', () => {{ {script} }}); window.searchBooks = () => 1".replace(
            "%", "%%"
        )
    )
    (tmp_path / "repair.html").write_text(PAGE % "window.repairBike = () => 1")
    with StaticHost(tmp_path) as host:
        code, found, _ = await check(host.url)
    said = {one["message"].split("`")[1]: one for one in found if one["rule"] == "tool-not-there"}

    assert said.keys() == {"repairBike", "nowhere"}
    assert said["repairBike"]["severity"] == "warning"
    assert "/repair.html`, but not on the first page" in said["repairBike"]["message"]
    assert place in said["nowhere"]["message"]
    assert said["nowhere"]["severity"] == ("warning" if place else "error")
    assert code == (0 if place else 1)
