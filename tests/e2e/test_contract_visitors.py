"""`webagent-dev test` as a visitor: behind a login, on other pages, where tools come late or lead on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_contract import broken, proved

WORKSHOP = """\
<!doctype html><meta charset="utf-8"><title>Workshop</title>
<nav></nav><main id="view"></main><script>
const repairs = {7: {id: 7, bike: "Harbour"}, 12: {id: 12, bike: "Long Tom"}};
let account = JSON.parse(localStorage.getItem("account") ?? "null");
let own = [];
const offer = (name, fn) => { globalThis[name] = fn; own.push(name); };
function show() {
  for (const name of own) delete globalThis[name];
  own = [];
  const page = location.pathname.replace("index.html", "");
  document.querySelector("nav").innerHTML = '<a href="/">Start</a>'
    + (account ? ' <a href="/repairs">Repairs</a> <a href="/help.html">Help</a>' : "");
  document.getElementById("view").innerHTML = page;
  if (!account) {
    offer("signIn", async (name, pin) => {
      if (pin !== "47110815") throw new Error("wrong pin");
      account = {name};
      show();
      return {name};
    });
  } else {
    offer("getAccount", async () => account);
  }
  if (page === "/repairs" && account) {
    offer("openRepair", async (id) => {
      if (!repairs[id]) throw new Error(`there is no repair ${id}`);
      history.pushState(null, "", `/repairs/${id}`);
      show();
      return repairs[id];
    });
    document.getElementById("view").innerHTML = '<a href="/repairs/7">Harbour</a>';
  }
  const found = /^\\/repairs\\/(\\d+)$/.exec(page);
  if (found && account) offer("getRepair", async () => repairs[found[1]]);
}
addEventListener("popstate", show);
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || link.pathname.endsWith(".html")) return;
  event.preventDefault();
  history.pushState(null, "", link.pathname);
  show();
});
show();
setTimeout(() => { globalThis.getHours = async () => ["9-17"]; }, 2500);
</script>
"""

HELP = """\
<!doctype html><meta charset="utf-8"><title>Help</title>
<button aria-expanded="false">Call us</button><script>
document.querySelector("button").addEventListener("click", () => {
  globalThis.getPhone = async () => "+44 20 7946 0958";
});
globalThis.goHome = async () => { location.href = "/"; return new Promise(() => {}); };
</script>
"""


def section(name: str, behavior: str, output: str = "", params: str = "", sample: str = "") -> str:
    """Return the section of a tool."""
    lines = "\n".join(f"- {line}" for line in behavior.split("; "))
    declared = f"### Output\n```typescript\n{output}\n```\n\n" if output else ""
    return (
        f"## {name}\nDoes what it says.\n\n### Params\n{params}\n\n{declared}"
        f"### Sample Code\n```js\nawait global.{name}({sample});\n```\n\n### Behavior\n{lines}\n"
    )


MANIFEST = "\n".join(
    [
        "# Workshop\n",
        section(
            "signIn",
            "effect: write",
            "{ name: string }",
            "- `name` (string, required): Who.\n- `pin` (string, required): The pin.",
            '"Ada", "47110815"',
        ),
        section("getAccount", "effect: read; requires login", "{ name: string }"),
        section("getHours", "effect: read", "string[]"),
        section(
            "openRepair",
            "effect: read; requires login; paths: /repairs",
            "{ id: number; bike: string }",
            "- `id` (number, required): Its number.",
            "7",
        ),
        section(
            "getRepair",
            "effect: read; requires login; paths: /repairs/*",
            "{ id: number; bike: string }",
        ),
        section("getPhone", "effect: read; paths: /help.html", "string"),
        section("goHome", "effect: read; paths: /help.html"),
    ]
)


@pytest.fixture(name="workshop")
def _workshop(tmp_path: Path) -> Path:
    """A single-page application whose visitors sign in, with one page besides."""
    site = tmp_path / "workshop"
    site.mkdir()
    (site / "index.html").write_text(WORKSHOP)
    (site / "help.html").write_text(HELP)
    (site / "webagents.md").write_text(MANIFEST)
    return site


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    """Return how each tool came out."""
    return {tool["name"]: tool["verdict"] for tool in report["tools"]}


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_a_correct_application_is_not_blamed(workshop: Path, tmp_path: Path) -> None:
    """Tools behind a login are reported as such; none is said to be gone or missing."""
    code, report, out = await proved(workshop, tmp_path, "--spa")

    assert code == 0, out
    assert verdicts(report) == {
        "signIn": "skipped",
        "getAccount": "needs_login",
        "getHours": "passed",
        "openRepair": "needs_login",
        "getRepair": "needs_login",
        "getPhone": "passed",
        "goHome": "passed",
    }
    assert "gone after some calls" not in out
    assert "4 of 7 tools not proven (1 not called, 3 needs a login), 3 passed" in out
    assert "`[test] login` in webagent.toml" in out


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_a_tool_signs_in_with_arguments_from_the_environment(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the application keeps it in memory alone; its wildcard page is found by its links."""
    (workshop / "webagent.toml").write_text(
        '[site]\nspa = true\n\n[test.login]\ntool = "signIn"\n'
        'arguments = { name = "Ada", pin = "$WORKSHOP_PIN" }\n'
    )
    monkeypatch.setenv("WORKSHOP_PIN", "47110815")
    code, report, out = await proved(workshop, tmp_path, "--allow-writes")

    assert code == 0, out
    assert {*verdicts(report).values()} == {"passed"}
    sequence = report["sequences"][0]
    assert sequence["verdict"] == "passed", sequence
    assert "getRepair" not in " ".join(sequence.get("remarks", []))
    assert "47110815" not in json.dumps(report).replace('"47110815\\");', "")


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_a_saved_state_and_an_example_of_a_page_sign_in(
    workshop: Path, tmp_path: Path
) -> None:
    """As Playwright saves it; a pattern may have an example that no link leads to."""
    storage = [{"name": "account", "value": '{"name": "Ada"}'}]
    state = {
        "cookies": [],
        "origins": [{"origin": "http://localhost:7357", "localStorage": storage}],
    }
    (tmp_path / "state.json").write_text(json.dumps(state))
    (workshop / "webagent.toml").write_text(
        '[site]\nspa = true\n\n[test]\nlogin = "../state.json"\n\n'
        '[test.paths]\n"/repairs/*" = "/repairs/12"\n'
    )
    code, report, out = await proved(workshop, tmp_path)

    assert code == 0, out
    assert verdicts(report) == {
        "signIn": "skipped",
        **dict.fromkeys(
            ("getAccount", "getHours", "openRepair", "getRepair", "getPhone", "goHome"), "passed"
        ),
    }


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_a_tool_that_a_login_does_not_bring_is_missing(
    workshop: Path, tmp_path: Path
) -> None:
    """A promise to visitors who are signed in is a promise too."""
    text = WORKSHOP.replace('offer("getAccount"', 'offer("getProfile"')
    (workshop / "index.html").write_text(text)
    (workshop / "webagent.toml").write_text(
        '[site]\nspa = true\n\n[test.login]\ntool = "signIn"\n'
        'arguments = { name = "Ada", pin = "47110815" }\n'
    )
    code, report, out = await proved(workshop, tmp_path, "--only", "getAccount")

    assert code == 1, out
    assert "has no function `getAccount`" in broken(report["tools"][0])["exists"]


LATE = """\
<!doctype html><meta charset="utf-8"><title>Tides</title><script>
globalThis.getPorts = async () => ["Ness"];
setTimeout(async () => {
  const tides = await (await fetch("tides.json")).json();
  globalThis.getTides = async () => tides;
}, 6500);
</script>
"""


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_tools_that_come_after_what_still_loads_are_waited_for(tmp_path: Path) -> None:
    """More than five seconds; the one that nothing brings is missing all the same."""
    site = tmp_path / "tides"
    site.mkdir()
    (site / "index.html").write_text(LATE)
    (site / "tides.json").write_text("[4, 2]")
    parts = [
        section("getPorts", "effect: read", "string[]"),
        section("getTides", "effect: read", "number[]"),
        section("getMoon", "effect: read", "string"),
    ]
    (site / "webagents.md").write_text("\n".join(["# Tides\n", *parts]))
    code, report, out = await proved(site, tmp_path)

    assert code == 1, out
    assert verdicts(report) == {"getPorts": "passed", "getTides": "passed", "getMoon": "failed"}
