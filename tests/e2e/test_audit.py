"""`webagent-dev check --audit`: the whole of it, on sites with faults, and on hostile ones."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.compat.web import META, Answer, Web, manifest, web
from tests.devserver.audit.kit import ENTRY, LLMS

pytestmark = pytest.mark.chromium("an audit opens pages in Chromium")

SEARCH = (
    "<form action=/s toolname=search tooldescription='Finds books.'><label>Words <input name=q>"
)
GOOD = (
    f"<!doctype html><html lang=en><title>Shop</title>{META.format('/webagents.md')}<h1>Shop</h1>"
)
FUNCTION = "<script>globalThis.search = (q) => [q]</script>"
FAULTS = Path(__file__).parents[1] / "sites" / "faults"


@pytest.fixture(name="sites")
def _sites() -> Iterator[Web]:
    with web() as sites:
        yield sites


async def audit(target: str, *options: str) -> tuple[int, str, str]:
    """Run the command; return its exit code, and what it writes."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", "check", target, "--audit", *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def rows(target: str, *options: str) -> tuple[int, int, dict[str, dict[str, Any]]]:
    """Return the exit code, the score and the rows by name."""
    code, out, err = await audit(target, "--format", "json", *options)
    assert out, err
    data = json.loads(out)
    return code, data["score"], {row["name"]: row for row in data["rows"]}


def found(row: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in row["findings"]}


@pytest.mark.conformance
async def test_a_site_as_it_should_be_has_all_points(sites: Web) -> None:
    """Everything is there, and nothing is wrong."""
    catalogue = json.dumps({"specVersion": "1.0", "entries": [ENTRY]})
    header = {"Link": '</.well-known/ai-catalog.json>; rel="ai-catalog"'}
    fresh = {"Cache-Control": "no-cache"}
    url = sites.site(
        {
            "/": Answer(f"{GOOD}{FUNCTION}", headers=header),
            "/webagents.md": Answer(manifest().body, manifest().kind, headers=fresh),
            "/llms.txt": Answer(LLMS, "text/plain; charset=utf-8"),
            "/robots.txt": Answer("User-agent: *\nAllow: /\n", "text/plain"),
            "/.well-known/ai-catalog.json": Answer(catalogue, "application/json"),
        }
    )
    code, score, judged = await rows(f"{url}/", "--ignore", "missing-output")

    assert (code, score) == (0, 100), judged
    verdicts = {name: row["verdict"] for name, row in judged.items()}
    assert {name for name, verdict in verdicts.items() if verdict == "not_applicable"} == {
        *("agent", "forms", "schemas", "skills", "markdown", "trial")
    }


async def test_each_fault_is_in_its_row(sites: Web) -> None:
    """A page with every fault; a row with an error makes the exit code 1."""
    page = (FAULTS / "index.html").read_text("utf-8")
    files = ("llms.txt", "robots.txt", ".well-known/ai-catalog.json")
    url = sites.site(
        {"/": Answer(page, headers={"Permissions-Policy": "tools=()"})}
        | {f"/{name}": Answer((FAULTS / name).read_text("utf-8"), "text/plain") for name in files}
    )
    code, score, judged = await rows(f"{url}/")

    assert code == 1
    assert score < 40
    assert found(judged["manifest"]) == {"no-manifest"}
    assert found(judged["security"]) == {"policy-blocks-webmcp"}
    assert found(judged["schemas"]) == {
        *("form-half-described", "field-without-name", "parameter-not-described")
    }
    assert found(judged["forms"]) == {"form-without-tool"}
    assert found(judged["names"]) == {"element-without-name"}
    assert found(judged["tree"]) == {"wrong-aria"}
    assert found(judged["layout"]) == {"layout-shift"}
    assert found(judged["llms-txt"]) == {"llms-txt-invalid"}
    assert found(judged["robots"]) == {"robots-blocks-agents"}
    assert found(judged["catalogue"]) == {
        *("catalogue-invalid", "catalogue-incomplete", "catalogue-not-announced")
    }
    assert judged["promises"]["verdict"] == judged["agent"]["verdict"] == "not_applicable"
    assert all(row["remedy"] for row in judged.values() if row["verdict"] in ("failed", "warning"))


@pytest.mark.conformance
async def test_the_forms_of_an_audit(sites: Web, tmp_path: Path) -> None:
    """A table, a page, a summary, and the findings as any check has them; all of one run."""
    url = sites.site({"/": GOOD, "/webagents.md": manifest("# Shop\n")})
    files = {form: tmp_path / form for form in ("html", "markdown", "sarif", "github")}
    options = [part for form, path in files.items() for part in ("--format", form, "-o", str(path))]
    code, table, _ = await audit(f"{url}/", *options)
    page, summary, log, lines = (path.read_text("utf-8") for path in files.values())

    assert code == 0
    assert "  warning   tools " in table
    assert "of 100: " in table
    assert "<title>✓ Audit of " in page
    assert "| with a warning | tools |" in summary
    results = json.loads(log)["runs"][0]["results"]
    assert "page-without-tools" in {result["ruleId"] for result in results}
    assert "::warning " in lines


@pytest.mark.conformance
async def test_a_folder_is_served_for_it(tmp_path: Path) -> None:
    """As `serve` does, which announces the manifest; the rules of its configuration count."""
    (tmp_path / "index.html").write_text(f"<!doctype html><title>Shop</title>{FUNCTION}")
    (tmp_path / "webagents.md").write_text(manifest().body)
    (tmp_path / "webagent.toml").write_text('[checks]\nignore = ["missing-output"]\n')
    code, _, judged = await rows(str(tmp_path))

    assert code == 0
    for name in ("manifest", "announcement", "promises", "tools"):
        assert judged[name]["verdict"] == "passed", judged[name]


@pytest.mark.conformance
async def test_nothing_is_asked_of_another_origin(sites: Web) -> None:
    """Neither by redirects nor by what the files or scripts of the site name."""
    other = sites.site({"/": GOOD}, other=True)
    away = Answer(status=302, headers={"Location": f"{other}/taken"})
    index = {"skills": [{"url": f"{other}/SKILL.md"}]}
    url = sites.site(
        {
            "/": f"{GOOD}<script>setTimeout(() => location = '{other}/left', 500)</script>",
            "/webagents.md": away,
            "/llms.txt": away,
            "/robots.txt": Answer(f"Agentmap: {other}/catalogue", "text/plain"),
            "/.well-known/agent-skills/index.json": Answer(json.dumps(index), "application/json"),
        }
    )
    code, out, err = await audit(f"{url}/", "--format", "json")

    assert code in (1, 2), err
    assert [address for address in sites.asked if address.startswith(other)] == []
    if out:
        judged = {row["name"]: row for row in json.loads(out)["rows"]}
        assert "stays on one origin" in judged["llms-txt"]["reason"]
        assert "stays on one origin" in judged["catalogue"]["reason"]


@pytest.mark.conformance
async def test_a_page_that_leads_elsewhere_is_not_audited(sites: Web) -> None:
    """The person decides which site is meant."""
    other = sites.site({"/": GOOD}, other=True)
    url = sites.site({"/": Answer(status=302, headers={"Location": f"{other}/"})})
    code, out, err = await audit(f"{url}/")

    assert (code, out) == (2, "")
    assert f"it leads to `{other}`" in err
    assert not any(address.startswith(other) for address in sites.asked)


HOSTILE = """<!doctype html><title>\x1b[2JShop</title>
<form toolname="\x1b]0;taken\x07"><input name=q></form>
<form action="\x1b[31m"><input name="\u202e"></form>
<button id="\x1b[2J<script>alert(1)</script>"></button>
<script>
    for (const name of ["map", "flatMap", "slice", "filter", "find"])
        Array.prototype[name] = () => "x".repeat(1e6);
    JSON.stringify = () => "[]";
    document.querySelectorAll = () => { throw new Error("no"); };
    globalThis.PerformanceObserver = class { observe() {} };
    globalThis.axe = Object.freeze({ run: async () => ({ violations: [] }) });
</script>"""


@pytest.mark.conformance
async def test_a_hostile_page_neither_steers_the_terminal_nor_the_audit(sites: Web) -> None:
    """Its texts are shown, its scripts change nothing of what is found."""
    url = sites.site({"/": HOSTILE, "/llms.txt": Answer("\x1b[2J" + "a" * 6_000_000, "text/plain")})
    code, table, err = await audit(f"{url}/")
    _, page, _ = await audit(f"{url}/", "--format", "html")
    _, lines, _ = await audit(f"{url}/", "--format", "concise")

    assert code == 1, err
    for text in (table, lines, page):
        assert not {"\x1b", "\x07", "\u202e"} & {*text}
    for rule in ("element-without-name", "form-half-described", "form-without-tool"):
        assert rule in lines
    assert "<script" not in page


@pytest.mark.conformance
async def test_a_page_that_never_rests_ends_the_audit(
    sites: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a sentence, and in time."""
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    url = sites.site({"/": "<!doctype html><title>Shop</title><script>for (;;) {}</script>"})
    async with asyncio.timeout(115):
        code, out, err = await audit(f"{url}/")

    assert (code, out) == (2, "")
    assert "cannot be" in err
