"""`webagent-dev test` on four sites: correct, they pass; each seeded fault is found where it is.

The faults were written without sight of the checks, from what `docs/test.md` promises.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.test_commands import command

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(400)]

SITES = Path(__file__).parent.parent / "sites"
MANIFEST = "webagents.md"
BUILD = "assets/index-Bq4Rw0cT.js"

UNPROVEN = {"bakery": set(), "hall": {"book_room"}, "nursery": {"placeOrder"}, "repairs": set()}
"""The tools of each site that need a person: one who sends a form, or who names what is final."""

ACCOUNT = {"WORKSHOP_EMAIL": "nora@tallowstreet.example", "WORKSHOP_PASSWORD": "brass-screw"}
"""The environment that the workshop's `[test] login` reads."""


class Fault(NamedTuple):
    """An edit of a correct site that breaks one promise of its manifest."""

    what: str
    site: str
    tool: str
    """The tool that is to blame."""
    file: str
    before: str
    after: str
    lines: tuple[str, ...]
    """Parts of the lines of the tool's section that the report may name; a fence counts as one.

    One that begins with `interface` is the line of a shared type.
    """
    options: tuple[str, ...] = ()


FAULTS = (
    # An application built into one script, without `global` and without names of parameters.
    Fault(
        "a field that is missing in an object of an object",
        "bakery",
        "scaleFormula",
        BUILD,
        ",starter:Math.round(r.starter*o)}",
        "}",
        ("grams: {",),
    ),
    Fault(
        "parameters the other way around",
        "bakery",
        "scaleFormula",
        BUILD,
        "async function c(e,t)",
        "async function c(t,e)",
        ('scaleFormula("levain", 3)',),
    ),
    Fault(
        "a time with seconds, which the schema does not allow",
        "bakery",
        "planBake",
        BUILD,
        "mixAt:i(new Date(u-h))",
        "mixAt:new Date(u-h).toISOString()",
        ('"mixAt"',),
    ),
    Fault(
        "a crash without an optional parameter",
        "bakery",
        "getHydration",
        BUILD,
        "y(e,t={}){var r=s(e),o=t&&t.water",
        "y(e,t){var r=s(e),o=t.water",
        ("## getHydration", "- `changes`"),
    ),
    Fault(
        "null for an empty list",
        "bakery",
        "listBakes",
        BUILD,
        "async function g(){return l()}",
        "async function g(){return JSON.parse(localStorage.getItem(K))}",
        ("Array<{ id",),
    ),
    Fault(
        "a function with another name",
        "bakery",
        "planBake",
        BUILD,
        "planBake:p",
        "planBread:p",
        ("## planBake",),
    ),
    Fault(
        "a tool that only reads writes",
        "bakery",
        "listFormulas",
        BUILD,
        "async function a(){return",
        "async function a(){localStorage.setItem(K,JSON.stringify(l().concat("
        '[{id:1,formula:"rye",readyAt:"2026-03-07T08:00Z",note:""}])));return',
        ("## listFormulas", "- effect: read"),
    ),
    # An application of several documents, whose tools lead from one to the next.
    Fault(
        "a page that comes without the next tool",
        "nursery",
        "addToBasket",
        "js/plant.js",
        'location.assign("/basket.html")',
        'location.assign("/")',
        ("await global.addToBasket",),
    ),
    Fault(
        "a page that comes and does not exist",
        "nursery",
        "openPlant",
        "js/results.js",
        "location.assign(`/plants/",
        "location.assign(`/plant/",
        ("## openPlant", "await global.openPlant"),
    ),
    Fault(
        "a text of a visitor that the next page takes for markup",
        "nursery",
        "searchPlants",
        "js/results.js",
        "textContent = `${found.length} plants`",
        "innerHTML = `${found.length} plants for ${words}`",
        ("## searchPlants", "- `words`"),
    ),
    Fault(
        "a number as text, on pages that only links lead to",
        "nursery",
        "getPlant",
        "js/plant.js",
        "({ ...plant })",
        "({ ...plant, height: `${plant.height} cm` })",
        ("height: number",),
    ),
    Fault(
        "an error that nobody catches, after the answer",
        "nursery",
        "priceOf",
        "js/plant.js",
        ">= 10;",
        '>= 10;\n  setTimeout(() => { document.querySelector("output").value = reduced; });',
        ("## priceOf", "await global.priceOf"),
    ),
    Fault(
        "an empty object instead of null",
        "nursery",
        "getOrder",
        "js/thanks.js",
        "async () => order",
        "async () => order ?? {}",
        ("} | null",),
    ),
    Fault(
        "a text where a list is declared",
        "nursery",
        "getDelivery",
        "js/search.js",
        '["Tuesday", "Friday"] : ["Friday"]',
        '"Tuesday and Friday" : "Friday"',
        ("days: Array",),
    ),
    Fault(
        "twice is not once",
        "nursery",
        "changePieces",
        "js/checkout.js",
        "inside[slug] = pieces",
        "inside[slug] = (inside[slug] ?? 0) + pieces",
        ("## changePieces", "- idempotent"),
    ),
    # Forms, and nothing else.
    Fault(
        "a field of a form with another name",
        "hall",
        "price_of_hire",
        "rooms.html",
        'name="hours"',
        'name="duration"',
        ("- `hours`", "await global.price_of_hire"),
    ),
    Fault(
        "a value of a declared choice that the form does not have",
        "hall",
        "find_events",
        "index.html",
        'value="sport"',
        'value="sports"',
        ("## find_events", "- `kind`"),
    ),
    Fault(
        "a form that a person sends, with another name",
        "hall",
        "book_room",
        "hire.html",
        'toolname="book_room"',
        'toolname="book"',
        ("## book_room",),
    ),
    Fault(
        "a form that leads to a page that does not exist",
        "hall",
        "subscribe",
        "index.html",
        'action="/subscribed.html"',
        'action="/subscribe.html"',
        ("## subscribe", "await global.subscribe"),
    ),
    Fault(
        "an array where an object is declared",
        "hall",
        "find_events",
        "hall.js",
        "return { events, total: events.length }",
        "return events",
        ("{ events: Array",),
    ),
    Fault(
        "a declared type without the null that there is",
        "hall",
        "find_events",
        MANIFEST,
        "seats: number | null",
        "seats: number",
        ("{ events: Array",),
    ),
    # A single-page application with a login.
    Fault(
        "a weekday off by a day",
        "repairs",
        "nextPickup",
        "app.js",
        "day.getUTCDay()] };",
        "day.getUTCDay() - 1] };",
        ('weekday: "Tuesday"',),
    ),
    Fault(
        "a tool that is not registered, beside one that comes late",
        "repairs",
        "getStock",
        "views/parts.js",
        "    getStock: async () => Object.fromEntries(all.map(({ id, stock }) => [id, stock])),\n",
        "",
        ("## getStock",),
    ),
    Fault(
        "a promise that never settles",
        "repairs",
        "getOpeningHours",
        "app.js",
        "async () => OPENING",
        "() => new Promise(() => {})",
        ("## getOpeningHours", "await global.getOpeningHours"),
        ("--timeout", "3"),
    ),
    Fault(
        "a value of a declared choice that crashes",
        "repairs",
        "estimateRepair",
        "views/prices.js",
        "= list[choice(",
        "= { clock: list.clock, radio: list.radio }[choice(",
        ("## estimateRepair", "- `device`"),
    ),
    Fault(
        "a number as text, behind a login",
        "repairs",
        "getProfile",
        "app.js",
        "role, since };",
        "role, since: `${since}` };",
        ("since: number",),
    ),
    Fault(
        "a missing field, behind a login and on one route",
        "repairs",
        "listRepairs",
        "views/repairs.js",
        "        total: found.length,\n",
        "",
        ("total: number",),
    ),
    Fault(
        "sample code with an argument that does not exist, behind a login",
        "repairs",
        "openRepair",
        MANIFEST,
        "openRepair(1042)",
        "openRepair(1024)",
        ("openRepair(1024)",),
    ),
    Fault(
        "null, as an id of the address is a text",
        "repairs",
        "getRepair",
        "views/repair.js",
        "getRepair: async () => repairOf(number)",
        "getRepair: async () => repairOf(id)",
        ("`Repair`",),
    ),
    Fault(
        "a number where a list is declared, of a tool that the route registers",
        "repairs",
        "addNote",
        "views/repair.js",
        "return { number, notes: changed.notes };",
        "return { number, notes: changed.notes.length };",
        ("notes: string[]",),
    ),
    # A second series, of all four sites, written when the checks found the first.
    Fault(
        "a number as text, with one option only",
        "repairs",
        "estimateRepair",
        "views/prices.js",
        "days: express ? 1 : days }",
        'days: express ? "1" : days }',
        ("days: number",),
    ),
    Fault(
        "null where nothing is found",
        "repairs",
        "searchParts",
        "views/parts.js",
        "return found.map(({ id,",
        "return found.length === 0 ? null : found.map(({ id,",
        ("Array<{ id",),
    ),
    Fault(
        "a choice in other letters, of the tool that signs in",
        "repairs",
        "signIn",
        "app.js",
        "role: person.role }",
        "role: person.role.toUpperCase() }",
        ('role: "mechanic"',),
    ),
    Fault(
        "a field with another name, on a page at a number",
        "repairs",
        "setStatus",
        "views/repair.js",
        "return { number, status: changed.status }",
        "return { number, state: changed.status }",
        ("status: Status }",),
    ),
    Fault(
        "no result, of the tool that signs out",
        "repairs",
        "signOut",
        "app.js",
        "    return { signedOut: true };\n",
        "",
        ("signedOut: boolean",),
    ),
    Fault(
        "a sum as text, of a shared type",
        "nursery",
        "getBasket",
        "js/checkout.js",
        "getBasket = async () => basketLines()",
        "getBasket = async () => ({ ...basketLines(), total: basketLines().total.toFixed(2) })",
        ("`Basket`", "interface Basket"),
    ),
    Fault(
        "a field that is missing in the items of a list",
        "nursery",
        "listResults",
        "js/results.js",
        "light: where, price })),",
        "light: where })),",
        ("plants: Array",),
    ),
    Fault(
        "sample code with an argument that does not exist, of a tool that navigates",
        "nursery",
        "openPlant",
        MANIFEST,
        'openPlant("fern")',
        'openPlant("ferns")',
        ('openPlant("ferns")',),
    ),
    Fault(
        "a text where a list is declared, of a form",
        "hall",
        "report_fault",
        "hall.js",
        "concerns: faults.at(-1).concerns }",
        "concerns: faults.at(-1).concerns.join() }",
        ("concerns: Array",),
    ),
    Fault(
        "a number as text, in the items of a list of a form",
        "hall",
        "find_free_rooms",
        "hall.js",
        "({ room, places }))",
        "({ room, places: `${places}` }))",
        ("places: number",),
    ),
    Fault(
        "a declared default that the function does not have",
        "bakery",
        "toVolume",
        BUILD,
        'v(e,t="water")',
        "v(e,t)",
        ("## toVolume", "- `ingredient`"),
    ),
    Fault(
        "a number where a time is declared, of a tool that writes",
        "bakery",
        "saveBake",
        BUILD,
        "w();return o}",
        "w();return Object.assign({},o,{readyAt:Date.parse(o.readyAt)})}",
        ("readyAt: string",),
    ),
    Fault(
        "a list where an object is declared, of a tool that writes",
        "bakery",
        "removeBake",
        BUILD,
        "return{left:t.length}",
        "return t",
        ("left: number",),
    ),
    Fault(
        "a declared type that is wrong",
        "repairs",
        "getOpeningHours",
        MANIFEST,
        "from: string; to: string }>",
        "from: number; to: string }>",
        ("from: number",),
    ),
    Fault(
        "a function that is not assigned",
        "bakery",
        "removeBake",
        BUILD,
        "window.removeBake=x;\n",
        "",
        ("## removeBake",),
    ),
)


async def report_of(site: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of `webagent-dev test`, and its report."""
    report = site.with_suffix(".json")
    code, out, err = await command("test", site, "--format", "json", "-o", report, *options)
    assert report.exists(), out + err
    return code, json.loads(report.read_text("utf-8"))


def blamed(report: dict[str, Any]) -> dict[str, list[tuple[str, int, str]]]:
    """Return what is said against each tool: file, line and message of the proofs that failed."""
    failed: dict[str, list[tuple[str, int, str]]] = {}
    for tool in report["tools"]:
        for proof in tool["proofs"]:
            if proof["verdict"] == "failed":
                place = proof["place"]
                said = (Path(place["path"]).name, place["line"], proof["message"])
                failed.setdefault(tool["name"], []).append(said)
    return failed


def lines_of(manifest: str, tool: str, parts: tuple[str, ...]) -> set[int]:
    """Return the numbers of the lines of a tool's section that have one of the parts."""
    rows = manifest.splitlines()
    start = rows.index(f"## {tool}")
    end = next((n for n in range(start + 1, len(rows)) if rows[n].startswith("## ")), len(rows))
    fences = [n for n in range(start, end) if rows[n].startswith("```")]
    blocks = list(zip(fences[::2], fences[1::2], strict=True))
    found: set[int] = set()
    for part in parts:
        if part.startswith("interface "):
            found.add(next(n for n, row in enumerate(rows, 1) if row.startswith(part)))
            continue
        at = [n for n in range(start, end) if part in rows[n]]
        assert at, f"{tool} has no line with {part}"
        first, last = next(((a, b) for a, b in blocks if a < at[0] < b), (at[0], at[0]))
        found |= set(range(first + 1, last + 2))
    return found


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("site", UNPROVEN)
async def test_a_correct_site_passes(site: str, tmp_path: Path) -> None:
    """Nothing is blamed, and all that needs no person is proven."""
    code, report = await report_of(shutil.copytree(SITES / site, tmp_path / site))
    verdicts = {tool["name"]: tool["verdict"] for tool in report["tools"]}

    assert blamed(report) == {}
    assert [one for one in report.get("sequences", []) if one["verdict"] == "failed"] == []
    assert {name for name, verdict in verdicts.items() if verdict != "passed"} == UNPROVEN[site]
    assert code == 0


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.site}: {fault.what}")
async def test_a_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    """The report names its tool and its line, and blames no other tool."""
    root = shutil.copytree(SITES / fault.site, tmp_path / fault.site)
    edited = root / fault.file
    text = edited.read_text("utf-8")
    assert text.count(fault.before) == 1
    edited.write_text(text.replace(fault.before, fault.after), "utf-8")

    code, report = await report_of(root, *fault.options)
    failed = blamed(report)
    allowed = lines_of((root / MANIFEST).read_text("utf-8"), fault.tool, fault.lines)

    assert code == 1
    assert list(failed) == [fault.tool]
    lines = {line for file, line, _ in failed[fault.tool] if file == MANIFEST}
    assert lines & allowed, (sorted(allowed), failed)
