"""`webagent-dev test` in a browser: the template keeps its promises, and each mutation of it is caught."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.async_api import Browser

from tests.e2e.conftest import TEMPLATE
from tests.e2e.test_commands import command

TOOLS = "js/tools.js"
CATALOGUE = "js/shop/catalogue.js"


async def proved(site: Path, tmp_path: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code of a test, its report, and what it writes."""
    report = tmp_path / "report.json"
    code, out, err = await command("test", site, "--format", "json", "-o", report, *options)
    assert report.exists(), out + err
    return code, json.loads(report.read_text("utf-8")), out


def broken(tool: dict[str, Any]) -> dict[str, str]:
    """Return what is said of the proofs of a tool that failed."""
    return {p["name"]: p["message"] for p in tool["proofs"] if p["verdict"] == "failed"}


class Mutation(NamedTuple):
    """A change of the template that breaks a promise of its manifest."""

    what: str
    file: str
    before: str
    after: str
    tool: str
    proof: str
    """The proof that it breaks."""
    line: str
    """Text of the line in the report; the first such line after the heading of the tool."""
    words: tuple[str, ...]
    """Words of the message."""
    options: tuple[str, ...] = ()


MUTATIONS = (
    Mutation(
        "a renamed function",
        TOOLS,
        "globalThis.listCategories =",
        "globalThis.listShelves =",
        "listCategories",
        "exists",
        "## listCategories",
        ("has no function `listCategories`", "write `listShelves` in the manifest"),
    ),
    Mutation(
        "a wrong type",
        CATALOGUE,
        "category, price, currency: CURRENCY, stock, url: bookUrl(id) }",
        "category, price: String(price), currency: CURRENCY, stock, url: bookUrl(id) }",
        "searchBooks",
        "result",
        "price: number;",
        ("books[0].price: expected number, got string",),
    ),
    Mutation(
        "a missing field",
        CATALOGUE,
        "shelfMark: shelfMark(book), blurb };",
        "shelfMark: shelfMark(book) };",
        "getBookDetails",
        "result",
        "blurb: string;",
        ("blurb: expected string, got undefined",),
    ),
    Mutation(
        "a slow tool",
        TOOLS,
        "async () => categories();",
        "async () => { await new Promise((r) => setTimeout(r, 60000)); return categories(); };",
        "listCategories",
        "time",
        "## listCategories",
        ("gave no answer within 1 s", "`- timeout: 30s`"),
        ("--timeout", "1"),
    ),
    Mutation(
        "an endless loop",
        TOOLS,
        "async () => categories();",
        "async () => { for (;;); };",
        "listCategories",
        "time",
        "## listCategories",
        ("an endless loop stops the whole page",),
        ("--timeout", "1"),
    ),
    Mutation(
        "a thrown string",
        CATALOGUE,
        "throw new Error(`unknown book id",
        "throw String(`unknown book id",
        "getBookDetails",
        "errors",
        "## getBookDetails",
        ("throws the string `unknown book id", "which is not an `Error`"),
    ),
    Mutation(
        "swapped parameters",
        TOOLS,
        "globalThis.getDeliveryPrice = async (country, weightGrams) =>",
        "globalThis.getDeliveryPrice = async (weightGrams, country) =>",
        "getDeliveryPrice",
        "names",
        "- `country` (string",
        ("has `country` as argument 1", "the function has `weightGrams` there"),
    ),
    Mutation(
        "one argument more",
        TOOLS,
        "globalThis.filterByCategory = async (category) =>",
        "globalThis.filterByCategory = async (category, order) =>",
        "filterByCategory",
        "arity",
        "## filterByCategory",
        ("takes 2 arguments, but the manifest declares 1",),
    ),
    Mutation(
        "a crash",
        CATALOGUE,
        "const words = plain(query)",
        "if (query) new RegExp(query);\n  const words = plain(query)",
        "searchBooks",
        "strings",
        "## searchBooks",
        ("crashes on arguments that it declares: SyntaxError",),
    ),
    Mutation(
        "text that becomes markup",
        TOOLS,
        "  const result = browse({ query, limit, category });",
        "  const result = browse({ query, limit, category });\n"
        "  document.body.insertAdjacentHTML('beforeend', `<p>${query}</p>`);",
        "searchBooks",
        "strings",
        "## searchBooks",
        ("takes a text given to `searchBooks` for markup",),
    ),
    Mutation(
        "a reading tool that writes",
        TOOLS,
        "globalThis.getBookDetails = async (bookId) => details(findBook(bookId));",
        "globalThis.getBookDetails = async (bookId) => { basket.set('the-comma-orchard', 1);\n"
        "  return details(findBook(bookId)); };",
        "getBookDetails",
        "effect",
        "- effect: read",
        ("says that it only reads, and `getBasket` gives something else after it",),
    ),
    Mutation(
        "a promise that nobody asks about",
        TOOLS,
        "async () => categories();",
        "async () => { Promise.reject(new RangeError('no such shelf')); return categories(); };",
        "listCategories",
        "quiet",
        "## listCategories",
        ("causes an error that nobody catches", "no such shelf"),
    ),
    Mutation(
        "a second call that fails",
        "js/shop/account.js",
        "  session.remove(KEY);",
        "  if (session.read(KEY) === 'gone') throw new Error('nobody is logged in');\n"
        "  session.write(KEY, 'gone');",
        "logout",
        "idempotent",
        "- idempotent",
        ("is not idempotent", "the second call fails: nobody is logged in"),
        ("--allow-writes",),
    ),
    Mutation(
        "sample code that is out of date",
        "webagents.md",
        'await global.searchBooks("harbour", 5);',
        'await global.searchBooks({ query: "harbour" });',
        "searchBooks",
        "sample",
        "const { books, total }",
        ("the sample code of `searchBooks` fails", "query: expected string, got object"),
    ),
)


@pytest.mark.conformance
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
async def test_each_mutation_is_caught(mutation: Mutation, shop: Path, tmp_path: Path) -> None:
    """With the line of the manifest, and what is wrong there."""
    file = shop / mutation.file
    text = file.read_text("utf-8")
    assert text.count(mutation.before) >= 1
    file.write_text(text.replace(mutation.before, mutation.after), encoding="utf-8")
    options = ("--only", mutation.tool, *mutation.options)
    code, report, out = await proved(shop, tmp_path, *options)
    proofs = {proof["name"]: proof for proof in report["tools"][0]["proofs"]}
    found = proofs[mutation.proof]
    lines = (shop / "webagents.md").read_text("utf-8").splitlines()
    start = lines.index(f"## {mutation.tool}")
    expected = next(n for n in range(start, len(lines)) if mutation.line in lines[n])

    assert code == 1
    assert found["verdict"] == "failed", out
    assert found["place"]["line"] == expected + 1
    for words in mutation.words:
        assert words in found["message"]
        assert words.split("`")[0] in " ".join(out.split())


@pytest.mark.conformance
async def test_the_template_keeps_its_promises(tmp_path: Path, browser: Browser) -> None:
    """All of them, those of tools that write included; and its report is a page that loads nothing."""
    code, report, out = await proved(TEMPLATE, tmp_path, "--allow-writes")

    assert code == 0, out
    assert report["tally"] == {"passed": 14, "failed": 0, "needs_login": 0, "skipped": 1}
    assert [tool["name"] for tool in report["tools"] if tool["verdict"] == "skipped"] == [
        "sendContactMessage"
    ]
    assert {proof["verdict"] for proof in report["sequences"]} == {"passed"}

    page_file = tmp_path / "report.html"
    only = report["tools"][0]["name"]
    await command("test", TEMPLATE, "--only", only, "--format", "html", "-o", page_file)
    asked: list[str] = []
    page = await browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(page_file.as_uri())
    assert "keeps every promise that was tried" in await page.inner_text("body")
    assert asked == [page_file.as_uri()]
    width = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    await page.close()


STRANGE_PAGE = """\
<!doctype html><title>Weather</title><script>
  window.forecast = async (city, days) => {
    if (!city) throw "which city?";
    return {city, days: Array.from({length: days}, (_, n) => ({day: n, degrees: 20}))};
  };
  window.cities = () => ["Paris", "Oslo"];
  window.almanac = () => { return 1; };
  const register = (name, execute) => document.modelContext.registerTool({
    name,
    description: "What the tide does.",
    inputSchema: {type: "object", properties: {port: {type: "string"}}, required: ["port"]},
    annotations: {readOnlyHint: true},
    execute,
  });
  register("moon", ({port}) => port.phase.name);
  register("wind", () => { throw "no wind"; });
</script>
"""
STRANGE_MANIFEST = """\
# Weather

## forecast
What the weather will be.

### Params
- `city` (string, required): Which city.
- `days` (number, optional): How many.

### Output
`{ city: string; days: { day: number; degrees: number }[] }`

### Sample Code
```js
const { days } = await global.forecast("Oslo", 2);
```

### Behavior
- effect: read

## cities
All cities.

### Params
"""


@pytest.mark.conformance
async def test_a_strangers_site_gets_a_report_without_configuration(tmp_path: Path) -> None:
    """Broken promises, undeclared tools, and the way to have the rest proven."""
    site = tmp_path / "weather"
    site.mkdir()
    (site / "index.html").write_text(STRANGE_PAGE)
    (site / "webagents.md").write_text(STRANGE_MANIFEST)
    code, report, out = await proved(site, tmp_path)
    forecast, cities, moon, wind = report["tools"]
    proofs = {proof["name"]: proof for proof in forecast["proofs"]}

    assert code == 1
    assert "throws the string `which city?`" in proofs["errors"]["message"]
    assert proofs["errors"]["call"] == 'await global.forecast("")'
    assert proofs["sample"]["verdict"] == "passed"
    assert cities["verdict"] == "skipped"
    assert "`- effect: read` under `### Behavior`" in cities["allow"]
    assert any("`almanac`" in remark for remark in report["remarks"])
    assert "1 of 4 tools not proven (1 not called), 3 failed" in out
    assert "`moon` crashes on arguments that it declares: TypeError:" in broken(moon)["arguments"]
    assert "errors" not in broken(moon)
    assert [*broken(wind)] == ["errors"]
    assert "`wind` throws `no wind`, which is not an `Error`" in broken(wind)["errors"]


@pytest.mark.conformance
async def test_types_that_were_seen_are_written(shop: Path, tmp_path: Path) -> None:
    """With a yes, and then the site keeps them."""
    text = (shop / "webagents.md").read_text("utf-8")
    cut = text.replace(
        "### Output\n\n```typescript\nArray<{ name: string; count: number }>\n```\n\n", ""
    )
    assert cut != text
    (shop / "webagents.md").write_text(cut, encoding="utf-8")
    code, _, out = await proved(shop, tmp_path, "--only", "listCategories", "--update", "--yes")
    again, report, _ = await proved(shop, tmp_path, "--only", "listCategories")
    result = next(p for p in report["tools"][0]["proofs"] if p["name"] == "result")

    assert (code, again, result["verdict"]) == (0, 0, "passed")
    assert "+{ name: string; count: number }[]" in out


@pytest.mark.conformance
async def test_a_tool_that_is_not_there_is_no_test(tmp_path: Path) -> None:
    """The message has the name that was meant."""
    code, _, err = await command("test", TEMPLATE, "--only", "searchBook")

    assert code == 2
    assert "`searchBook` is not a tool of the site - write `searchBooks`" in err


@pytest.mark.conformance
async def test_ctrl_c_leaves_what_is_known(tmp_path: Path) -> None:
    """The tools that were proven, the sum, and the files; the exit code is that of shells."""
    file = tmp_path / "report.json"
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "webagent_dev",
            "test",
            str(TEMPLATE),
            "--format",
            "json",
            "-o",
            str(file),
        ),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    first = await process.stdout.readline()
    # As a terminal does: to the browser and its driver too.
    os.killpg(process.pid, signal.SIGINT)
    rest = await process.stdout.read()
    leaked = await process.stderr.read()
    code = await process.wait()
    report = json.loads(file.read_text("utf-8"))

    assert code == 130
    assert first.startswith(b"  passed")
    assert b"ended before all were proven" in rest
    assert b"never retrieved" not in leaked
    assert b"Traceback" not in leaked
    assert report["interrupted"] is True
    assert len(report["tools"]) >= 1
