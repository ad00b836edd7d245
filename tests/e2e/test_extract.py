"""`webagent-dev extract` on sites of three shapes: what it drafts passes `check`, and reads no more than is there."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from pathlib import Path

import pytest

from tests.e2e.command import in_process
from tests.e2e.static_host import StaticHost
from webagent import parse
from webagent.checks import check
from webagent.types import Manifest, Tool

STATIC = """\
<!doctype html>
<html lang="en"><head><title>Garden Club</title>
<meta name="description" content="We  meet on Mondays."></head><body>
<h1>Garden Club</h1>
<a href="join.html">Join</a> <a href="files/plan.pdf">Plan</a> <a href="/log-out">Leave</a>
<a href="https://elsewhere.example/">Elsewhere</a> <a href="join.html#top">Top</a>
<h2>Find a plant `## evil`</h2>
<form role="search" action="/plants/find.php"><label>Name <input name="q" required></label>
<select name="light"><option>sun<option>shade</select><input type="hidden" name="t" value="1"></form>
<form method="dialog"><input name="x"></form><form id="empty"><button>Go</button></form>
</body></html>
"""
JOIN = """\
<!doctype html><title>Join</title><form id="join-form" method="post" action="/join">
<fieldset><legend>Become a member</legend><input name="email" type="email" aria-label="Email">
<input name="years" type="number" min="1" max="5"></fieldset><button>Join</button></form>
"""
SPA = """\
<!doctype html><title>Tasks</title><div id="app"></div><script type="module" src="app.js"></script>
"""
SPA_SCRIPT = """\
const app = document.getElementById("app");
class Store {}
window.Store = Store;
window.addTask = async (title, done = false, { tags } = {}, ...more) => ({ title, done });
window.listTasks = function (/* none, yet */ state = "open", limit = 20) { return []; };
window.gtag = function () {};
window._private = () => 1;
setTimeout(() => {
  app.innerHTML = `<h1>Tasks</h1><nav><a href="/about">About</a></nav>
    <form aria-label="Add a task" id="addTaskForm"><input name="title"><button>Add</button></form>`;
}, 700);
"""
LATE = """\
<!doctype html><title>Maps</title><h1>Maps</h1><script>
  setTimeout(() => document.modelContext.registerTool({
    name: "find_route", description: "Finds the way.\\n## not a tool",
    inputSchema: {type: "object", required: ["from"], properties: {
      from: {type: "string", description: "Where it begins"}, stops: {type: "array", items: {type: "string"}}}},
    annotations: {readOnlyHint: true}, execute: () => { throw new Error("never called"); },
  }), 1500);
</script>
"""

ODD = """\
<!doctype html><title>Goods</title><h1>Goods</h1><a href="#/cart">Cart</a> <a href="#top">Top</a>
<form method="post" action="/add"><input type="hidden" name="id" value="1"><input name="count">
<button>Add to cart</button></form>
<form method="post" action="/add"><input type="hidden" name="id" value="2"><input name="count">
<button>Add to cart</button></form>
<form action="/find"><input name="id"><input name="method"><input name="elements"><button>Find goods</button>
</form><button aria-haspopup="dialog" onclick="buy()">Buy</button><button onclick="deleteAll()">More</button>
<div id="view"></div><script>
  alert("hello");
  setInterval(() => {}, 100);
  (function tick() { setTimeout(tick, 300); })();
  addEventListener("hashchange", show);
  show();
  function show() {
    document.getElementById("view").innerHTML = location.hash === "#/cart" ? `<h2>Redeem a coupon</h2>
      <form method="post" action="/coupon"><input name="code" required><button>Go</button></form>` : "";
  }
  function buy() { fetch("/buy", { method: "POST" }).catch(() => { globalThis.refused = async () => 1; }); }
  function deleteAll() { globalThis.clicked = async () => 1; }
</script>
"""


async def extract(target: str | Path, *options: str) -> tuple[int, str, str]:
    """Run the command; return its exit code, the draft, and what it says besides."""
    return await in_process("extract", target, *options)


async def program(target: str | Path) -> tuple[int, str, str]:
    """Run the command as a program."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", "extract", str(target)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


def drafted(text: str) -> Manifest:
    """Return a draft, which has no error."""
    assert not check(text).broken, check(text).findings
    return parse(text)


def tool(manifest: Manifest, name: str) -> Tool:
    found = manifest.get_tool(name)
    assert found is not None
    return found


@pytest.mark.conformance
async def test_a_static_site_with_forms(tmp_path: Path) -> None:
    """Each form is a tool of the pages that have it; links are followed within the site."""
    (tmp_path / "index.html").write_text(STATIC)
    (tmp_path / "join.html").write_text(JOIN)
    code, text, notes = await extract(tmp_path)
    manifest = drafted(text)
    find, join = tool(manifest, "findPlantEvil"), tool(manifest, "becomeMember")

    assert code == 0
    assert (manifest.name, manifest.description) == ("Garden Club", "We meet on Mondays.")
    assert manifest.tool_names == ["findPlantEvil", "becomeMember"]
    assert [(p.name, p.type, p.required) for p in find.params] == [
        ("q", "string", True),
        ("light", '"sun" | "shade"', False),
    ]
    assert find.description == "Find a plant `## evil`."
    assert (find.behavior.effect, find.behavior.paths) == ("read", ("/",))
    assert join.description == "Become a member. A person has to send the form."
    assert (join.behavior.effect, join.behavior.paths) == ("write", ("/join.html",))
    assert (
        'write `toolname="becomeMember" tooldescription="Become a member."` into '
        '`<form id="join-form"' in notes
    )
    assert "elsewhere" not in notes
    assert "log-out" not in notes


@pytest.mark.conformance
async def test_a_single_page_application(tmp_path: Path) -> None:
    """Forms made by scripts count; functions have the parameters of their source."""
    (tmp_path / "index.html").write_text(SPA)
    (tmp_path / "app.js").write_text(SPA_SCRIPT)
    code, text, notes = await extract(tmp_path)
    manifest = drafted(text)

    assert code == 0
    # The form would have the name of a function, which it probably calls.
    assert manifest.tool_names == ["addTask", "listTasks"]
    assert "toolname" not in notes
    assert tool(manifest, "addTask").description == "Add task."
    assert [(p.name, p.type, p.required, p.default) for p in tool(manifest, "addTask").params] == [
        ("title", "unknown", True, None),
        ("done", "boolean", False, "false"),
        ("options", "Record<string, unknown>", False, None),
    ]
    assert [(p.name, p.default) for p in tool(manifest, "listTasks").params] == [
        ("state", '"open"'),
        ("limit", "20"),
    ]
    assert re.search(
        r"^/about: `http\S+/about` is not a page: it answers with status 404", notes, re.MULTILINE
    )


@pytest.mark.conformance
async def test_a_page_whose_tools_are_registered_late(tmp_path: Path) -> None:
    """It is waited for, through the address of a server, and nothing is called."""
    (tmp_path / "index.html").write_text(LATE)
    with StaticHost(tmp_path) as host:
        code, text, _ = await extract(host.url, "--pages", "1")
    manifest = drafted(text)
    found = tool(manifest, "find_route")

    assert code == 0
    assert manifest.tool_names == ["find_route"]
    assert [(p.name, p.type, p.required) for p in found.params] == [
        ("from", "string", True),
        ("stops", "string[]", False),
    ]
    assert found.behavior.effect == "read"


@pytest.mark.conformance
async def test_declared_tools_stay(tmp_path: Path) -> None:
    """A draft for a site with a manifest adds what it lacks."""
    (tmp_path / "webagents.md").write_text(
        "# Tasks and more\n\n## addTask\nKeep me.\n\n### Params\n"
    )
    page = '<meta name="webagents-md" content="/webagents.md">' + SPA
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "app.js").write_text(SPA_SCRIPT)
    _, text, _ = await extract(tmp_path)
    manifest = drafted(text)

    assert manifest.name == "Tasks and more"
    assert tool(manifest, "addTask").description == "Keep me."
    assert tool(manifest, "listTasks").params


STEPS = """\
<!doctype html><title>Visa</title><h1>Visa</h1>
<form action="step.html"><label>Word <input name="q"></label><button>Search forms</button></form>
<form method="post" action="pay.html"><input name="card"><button>Pay now</button></form>
<form method="post" action="missing.html"><input name="mail"><button>Subscribe</button></form>
<form action="/q" toolname="ask" tooldescription="Asks."><input name="q"><button>Ask</button></form>
<form action="/r" toolname="rate" tooldescription="Rates." toolautosubmit><input name="r"><button>Go</button></form>
"""
STEP = """\
<!doctype html><title>Apply</title><h1>Apply</h1>
<form method="post" action="/apply"><input type="hidden" name="csrf_token" value="a">FIELDS
<label>Town <select name="town">TOWNS</select></label><button>Save application</button></form>
<form method="post" action="/apply"><input type="hidden" name="csrf_token" value="b">FIELDS
<label>Town <select name="town">TOWNS</select></label><button>Save application</button></form>
"""


@pytest.mark.conformance
async def test_forms_that_lead_to_forms(tmp_path: Path) -> None:
    """Where forms lead is looked at, but not what pays; many fields and choices are one tool."""
    (tmp_path / "index.html").write_text(STEPS)
    fields = "".join(f'<label>Field {n} <input name="f{n}"></label>' for n in range(300))
    towns = "".join(f"<option value=t{n}>The town of number {n}</option>" for n in range(3_000))
    step = STEP.replace("FIELDS", fields).replace("TOWNS", towns)
    (tmp_path / "step.html").write_text(step)
    (tmp_path / "pay.html").write_text(JOIN)
    code, text, notes = await extract(tmp_path)
    manifest = drafted(text)
    save = tool(manifest, "saveApplication")

    assert code == 0
    assert {*manifest.tool_names} == {"ask", "rate", "searchForms", "pay", "subscribe", save.name}
    assert (len(save.params), save.behavior.paths) == (301, ("/step.html",))
    assert (save.params[300].type, save.params[300].description) == (
        "string",
        "Town, one of the 3,000 choices of the form",
    )
    assert "is not a page" not in notes
    assert "left out" not in notes


async def test_a_form_that_a_person_has_to_send(tmp_path: Path) -> None:
    """The draft says so, and the remedy is named, also for one that is a tool already."""
    (tmp_path / "index.html").write_text(STEPS)
    _, text, notes = await extract(tmp_path, "--pages", "1")
    by_person = "A person has to send the form."

    assert {one.name for one in drafted(text).tools if by_person in one.description} == {
        "ask",
        "pay",
        "subscribe",
    }
    assert (
        "/: `ask` is a form that a person has to send - `toolautosubmit` in its tag lets agents send it"
    ) in notes
    assert "`rate` is a form" not in notes
    assert re.search(
        r'write `toolname="subscribe" [^`]*"` into `<form [^`]*>`, so that it is a tool that a person '
        r"sends; with `toolautosubmit` agents send it\n",
        notes,
    )


HELPERS = """\
<!doctype html><title>Teas</title><h1>Teas</h1><script src="teas.js"></script>
<script src="node_modules/kit/kit.js"></script><script src="lib/kit.min.js"></script>
"""
HELPERS_SCRIPT = """\
const teas = [{ id: 1, name: "Sencha" }];
function formatPrice(price) { return `£${price}`; }
function renderTeas(list) { return list.map(teaCard).join(""); }
function teaCard(tea) { return `<li>${tea.name}</li>`; }
function teaRow(tea) { const row = document.createElement("li"); row.textContent = tea.name; return row; }
function teaRows(list) { return list.map((tea) => `<li>${tea.name}</li>`).join(""); }
function escapeHtml(text) { return text.replace(/</g, "&lt;"); }
function debounce(run, ms) { return run; }
function searchTeas(query) { return teas.filter(({ name }) => name.includes(query)); }
function getBasket() { localStorage.setItem("seen", 1); return []; }
function addToBasket(id) { return id; }
// eslint-disable-next-line no-unused-vars
// Show the teas of a kind,
// or all.
function showTeas(kind) {
  const found = teas.filter(function (tea) { return !kind || tea.kind === kind; });
  shelf.innerHTML = found.map(function (tea) { return "<li>" + tea.name; }).join("");
  return found;
}
globalThis.renderAll = () => 1;
globalThis.countTeas = async () => teas.length;
document.modelContext.registerTool({
  name: "search_teas", description: "Looks for teas.", annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  execute: async ({ query }) => searchTeas(query),
});
"""


@pytest.mark.conformance
async def test_functions_for_others_to_call(tmp_path: Path) -> None:
    """Not what draws the page, serves other functions or comes from a library; a registered tool wins."""
    (tmp_path / "index.html").write_text(HELPERS)
    (tmp_path / "teas.js").write_text(HELPERS_SCRIPT)
    for name in ("node_modules/kit/kit.js", "lib/kit.min.js"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("globalThis.kitCall = (name) => name;")
    _, text, notes = await extract(tmp_path)
    manifest = drafted(text)

    assert {one.name: one.behavior.effect for one in manifest.tools} == {
        "countTeas": "read",
        "getBasket": "unknown",
        "addToBasket": "write",
        "showTeas": "unknown",
        "search_teas": "read",
    }, notes
    assert manifest.tool_names[0] == "countTeas"
    assert tool(manifest, "search_teas").description == "Looks for teas."
    assert tool(manifest, "showTeas").description == "Show the teas of a kind, or all."
    assert not tool(manifest, "showTeas").params[0].required
    assert "left out: `teaCard`, `teaRow`, `teaRows` - each makes markup\n" in notes
    assert "left out: `formatPrice` - it serves other functions, by its name\n" in notes
    assert "kitCall" not in notes


RELOADS = """\
<!doctype html><title>Seeds</title><h1>Seeds</h1>
<form action="/find" role="search"><input name="q"><button>Search seeds</button></form><script>
  const times = Number(sessionStorage.getItem("times"));
  sessionStorage.setItem("times", times + 1);
  if (times < TIMES) setTimeout(() => location.reload(), AFTER);
  globalThis.sowSeeds = async (bed) => bed;
</script>
"""


@pytest.mark.parametrize(
    ("after", "times"),
    [
        (200, 3),
        *(pytest.param(ms, 1, marks=pytest.mark.conformance) for ms in (0, 50, 500, 900)),
    ],
)
async def test_a_page_that_reloads_itself(tmp_path: Path, after: int, times: int) -> None:
    """As a build server's first page does: it is read again, whatever it interrupts."""
    page = RELOADS.replace("AFTER", str(after)).replace("TIMES", str(times))
    (tmp_path / "index.html").write_text(page)
    with StaticHost(tmp_path) as host:
        code, text, notes = await extract(host.url, "--pages", "1")

    assert code == 0, notes
    assert sorted(drafted(text).tool_names) == ["searchSeeds", "sowSeeds"]
    assert notes.startswith("/: 2 tools\n")


@pytest.mark.conformance
async def test_a_page_that_never_stops_reloading(tmp_path: Path) -> None:
    """It is given up after some reloads, with a reason."""
    page = RELOADS.replace("AFTER", "50").replace("TIMES", "1e9")
    (tmp_path / "index.html").write_text(page)
    with StaticHost(tmp_path) as host:
        code, _, notes = await extract(host.url)

    assert code == 2
    assert "the page reloads itself again and again" in notes


@pytest.mark.conformance
async def test_a_site_without_tools_says_what_to_write(tmp_path: Path) -> None:
    """The exit code is 1, and nothing is drafted."""
    (tmp_path / "index.html").write_text("<!doctype html><p>hello")
    code, text, notes = await program(tmp_path)

    assert (code, text) == (1, "")
    assert "write `globalThis.search = …`" in notes


async def test_a_form_that_the_browser_posts_gets_no_advice_about_a_script(tmp_path: Path) -> None:
    """Flask's and Django's forms have no `action`, and no script with a `preventDefault()`."""
    form = '<form method="post"{}><input name="city"><button>{}</button></form>'
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>Weather</title>"
        + form.format("", "Add a city")
        + form.format(' onsubmit="ask(event)"', "Ask for news")
    )
    _, _, notes = await extract(tmp_path)
    lines = {line.split('"')[1]: line for line in notes.splitlines() if "toolname=" in line}

    assert sorted(lines) == ["addCity", "askForNews"]
    assert "preventDefault" not in lines["addCity"]
    assert "`event.respondWith?.(answer)`" in lines["askForNews"]


@pytest.mark.conformance
async def test_a_folder_is_read_in_the_encoding_that_browsers_take(tmp_path: Path) -> None:
    """As served: a page that names none is Western; one that names its own, however late, has it."""
    page = "<!doctype html>{}<title>T</title>{}<h1>Caf\xe9</h1>" + JOIN.replace("Email", "\xe9mail")
    for name, head in (("index", ""), ("named", "<meta charset=windows-1252>")):
        text = page.format(head, f"<!-- {'x' * 2_000} --><a href=named.html>Named</a>")
        (tmp_path / f"{name}.html").write_bytes(text.encode("cp1252"))
    _, text, _ = await extract(tmp_path)

    assert "\xe9mail" in text
    assert "\ufffd" not in text


@pytest.mark.conformance
async def test_a_draft_is_added_to_what_a_person_wrote(tmp_path: Path) -> None:
    """The file that `init` wrote, or one with more in it: not a byte of it changes, and the rest is shown."""
    (tmp_path / "index.html").write_text(JOIN)
    output = tmp_path / "webagents.md"
    assert (await in_process("init", "--into", tmp_path, "--yes"))[0] == 0
    made = output.read_text("utf-8")
    code, shown, notes = await extract(tmp_path, "-o", str(output))
    first = output.read_text("utf-8")

    assert code == 0, notes
    assert first.startswith(made)
    assert drafted(first).tool_names == ["becomeMember"]
    assert shown.startswith(f"--- {output}\n+++ {output} (with the draft)\n")
    assert "+## becomeMember" in shown
    assert [line for line in shown.splitlines()[2:] if line.startswith("-")] == []

    mine = first.replace("Become a member.", "Join us.   <!-- mine -->").replace("\n", "\r\n")
    output.write_bytes(mine.encode())
    page = (
        JOIN
        + '<form action="/find" role="search"><input name="q"><button>Find a plant</button></form>'
    )
    (tmp_path / "index.html").write_text(page)
    assert (await extract(tmp_path, "-o", str(output)))[0] == 0
    second = output.read_bytes().decode()

    assert second.startswith(mine)
    assert drafted(second).tool_names == ["becomeMember", "findPlant"]
    assert tool(drafted(second), "becomeMember").description.startswith("Join us.")
    assert "\n" not in second.replace("\r\n", "")

    code, shown, notes = await extract(tmp_path, "-o", str(output))

    assert (code, shown) == (0, "")
    assert "nothing new was found" in notes
    assert output.read_bytes().decode() == second


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"<!doctype html><p>Mine", "is not a manifest"),
        (b"# M\xfcll\n", "is not a manifest"),
        (b"# Mine\n\n## pay\nPay.\n\n### Params\n\n```js\n", "nothing can be added to the end"),
    ],
)
async def test_a_file_that_a_draft_cannot_be_added_to(
    tmp_path: Path, text: bytes, words: str
) -> None:
    """It stays as it is."""
    (tmp_path / "index.html").write_text(JOIN)
    output = tmp_path / "mine.md"
    output.write_bytes(text)
    code, _, notes = await extract(tmp_path, "-o", str(output))

    assert code == 2
    assert words in notes
    assert output.read_bytes() == text


@pytest.mark.conformance
async def test_sites_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    """A missing folder, one without a first page, a server that is down."""
    with socket.socket() as taken:
        # Nobody else gets this port meanwhile.
        taken.bind(("127.0.0.1", 0))
        for target, words in (
            (tmp_path / "missing", "is neither a folder nor an address"),
            (tmp_path, "has no index.html"),
            (f"http://127.0.0.1:{taken.getsockname()[1]}/", "nothing listens there"),
        ):
            code, _, notes = await extract(target)

            assert code == 2
            assert words in notes


@pytest.mark.conformance
async def test_a_page_with_oddities(tmp_path: Path) -> None:
    """Clocks, names in the way of the page's own, pages behind a `#`, a form for each of many things."""
    (tmp_path / "index.html").write_text(ODD)
    _, text, notes = await extract(tmp_path)
    manifest = drafted(text)

    assert sorted(manifest.tool_names) == ["findGoods", "redeemCoupon", "refused"]
    assert [param.name for param in tool(manifest, "findGoods").params] == [
        "id",
        "method",
        "elements",
    ]
    assert "/#/cart: 3 tools" in notes
    assert 'left out: forms such as `<form method="post" action="/add">`' in notes
    assert "write `globalThis.addToCart = …`" in notes
