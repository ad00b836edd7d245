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
    assert (find.behavior.effect, find.behavior.paths) == ("read", ["/"])
    assert join.description == "Become a member."
    assert (join.behavior.effect, join.behavior.paths) == ("write", ["/join.html"])
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


async def test_a_site_without_tools_says_what_to_write(tmp_path: Path) -> None:
    """The exit code is 1, and nothing is drafted."""
    (tmp_path / "index.html").write_text("<!doctype html><p>hello")
    code, text, notes = await program(tmp_path)

    assert (code, text) == (1, "")
    assert "write `global.search = …`" in notes


@pytest.mark.conformance
async def test_a_draft_goes_into_a_new_file(tmp_path: Path) -> None:
    """One that is there is not overwritten."""
    (tmp_path / "index.html").write_text(JOIN)
    output = tmp_path / "webagents.md"
    assert (await extract(tmp_path, "-o", str(output)))[0] == 0
    assert drafted(output.read_text("utf-8")).tool_names == ["becomeMember"]
    code, _, notes = await extract(tmp_path, "-o", str(output))

    assert code == 2
    assert "nothing of yours is overwritten" in notes


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
    assert "write `global.addToCart = …`" in notes
