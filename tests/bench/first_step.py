"""From the press of a button to the first step of a run: our panel, and page-agent's."""

from __future__ import annotations

import asyncio
import json
import tempfile
from itertools import product
from pathlib import Path
from typing import Any, Final

from backports import zstd
from playwright.async_api import Playwright, async_playwright

from tests.bench.link import Host
from tests.bench.loading import STAY_S, WINDOW_S
from tests.bench.start_site import CHANGING, LEVEL, MEASURED, write_pages
from tests.bench.table import table
from tests.chromium import ARGS, find_chromium, install_chromium
from tests.e2e.panel.conftest import OPENED
from tests.model_server import ModelServer, Turn, asks
from tests.page_agent import page_agent_script

ROUNDS = 5
PRIMING = 3
"""Loads before the first that counts where pages were loaded before; see `start`."""
GOAL = "Show me what is further down"
KEY_MS = 80
"""Between two keys: twelve characters a second, which is fast typing."""
LIMIT_MS = 60_000
OURS, PEER = "webagent", "page-agent"
SIDES: Final = {
    # The page, its button, and the field for a goal.
    PEER: ("page-agent.html", "#open", "#page-agent-runtime_agent-panel input"),
    OURS: ("panel.html", "webagent-launcher button", "webagent-panel textarea"),
}
COLD, WARM = PROFILES = ("nothing cached", "loaded before")
WAYS: Final = {"pasted": None, f"typed, {KEY_MS} ms a key": KEY_MS}

BODY = "</h1><p style='height: 4000px'>Shelves</p>"
PEER_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>page-agent</title>
<link rel="icon" href="data:,"><script src="site.js"></script>
<script src="page-agent.js?autoInit=false"></script></head>
<body><button id="open">Assistant</button><h1>Twenty-five tools{body}
<script>
let agent;
document.querySelector("#open").onclick = () => {{
  agent ??= new PageAgent({{ model: "scripted-1", baseURL: "{model}", apiKey: "none", language: "en-US" }});
  agent.panel.show();
  // Folded, it would show neither the goal nor the steps.
  agent.panel.expand();
}};
</script></body></html>
"""
WATCH = f"""
globalThis.moments = {{}};
const ours = () => document.querySelector("webagent-panel")?.shadowRoot;
const theirs = () => document.querySelector("#page-agent-runtime_agent-panel");
const shown = {{
  field: () => (ours()?.querySelector(".dressed textarea") ?? theirs()?.querySelector("input"))?.checkVisibility(),
  goal: () => (ours()?.querySelector(".log") ?? theirs())?.textContent.includes({json.dumps(GOAL)}),
  step: () => ours()?.querySelector(".step") ?? theirs()?.textContent.includes("Scrolling"),
}};
const note = (name, at) => {{ moments[name] ??= at; }};
addEventListener("click", ({{ timeStamp }}) => note("press", timeStamp), true);
addEventListener("keydown", ({{ key, timeStamp }}) => {{ if (key === "Enter") note("enter", timeStamp); }}, true);
// The frame that shows it.
const look = (at) => {{
  for (const name in shown) if (!(name in moments) && shown[name]()) note(name, performance.now());
  requestAnimationFrame(look);
}};
requestAnimationFrame(look);
"""
PARTS: Final = {
    "from the press to a field that takes words": ("press", "field"),
    "from Enter to the sentence in the conversation": ("enter", "goal"),
    "from Enter to the first step, goal {way}": ("enter", "step"),
}
"""Spans of time, each with the moments at its beginning and end."""


async def first_steps() -> str:
    """Return tables; both sides take turns, each load in a browser that has just been started."""
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder, ModelServer(reply, cycle=True) as model:
        write_pages(Path(folder))
        write_panels(Path(folder, "site"), model.url)
        with Host(Path(folder, "site"), changing=CHANGING) as host:
            async with async_playwright() as playwright:
                for number in range(-PRIMING, ROUNDS):
                    for profile, (way, key_ms), side in product(PROFILES, WAYS.items(), SIDES):
                        if number < 0 and profile == COLD:
                            continue
                        name = f"{side} {way}" if profile == WARM else f"{number} {side} {way}"
                        stay_s = STAY_S if number < 0 else 0.0
                        at = await moments(
                            playwright, Path(folder, name), host.url, side, key_ms, stay_s
                        )
                        if number < 0:
                            continue
                        for what, (since, until) in PARTS.items():
                            rows = found.setdefault(f"{profile}: {what.format(way=way)}", {})
                            rows.setdefault(side, []).append(at[until] - at[since])
    return "\n\n".join(table(what, rows) for what, rows in found.items())


def reply(asked: dict[str, Any]) -> Turn:
    """Return the reply of the model, which scrolls: as a stream to ours, whole to page-agent."""
    if asked.get("stream"):
        return asks(("scroll", {"direction": "down"}))
    step = {
        "evaluation_previous_goal": "",
        "memory": "",
        "next_goal": "",
        "action": {"scroll": {"down": True, "num_pages": 0.5}},
    }
    call = {"name": "AgentOutput", "arguments": json.dumps(step)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_0", "type": "function", "function": call}],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
    return Turn(json.dumps(whole).encode(), headers={"content-type": "application/json"})


def write_panels(site: Path, model: str) -> None:
    """Write the page of each side next to those of `write_pages`.

    Args:
        site: Folder of the built site.
        model: URL of the model's interface.
    """
    panel = f' data-panel="on" data-llm="{model}#scripted-1"'
    # Waiting for Python would start it, which only the panel does here.
    page = (site / "index.html").read_text("utf-8").replace(MEASURED, "")
    page = page.replace(' data-start="now"', panel)
    (site / "panel.html").write_text(page.replace("</h1>", BODY), encoding="utf-8")
    peer = PEER_PAGE.format(body=BODY, model=model)
    (site / "page-agent.html").write_text(peer, encoding="utf-8")
    script = page_agent_script().read_bytes()
    (site / "page-agent.js").write_bytes(script)
    (site / "page-agent.js.zst").write_bytes(zstd.compress(script, LEVEL))


async def moments(
    playwright: Playwright, profile: Path, url: str, side: str, key_ms: int | None, stay_s: float
) -> dict[str, float]:
    """Open the panel in a new browser, send the goal, and return the moments in ms.

    Args:
        playwright: Starts the browser.
        profile: Folder of the browser's cache.
        url: Of the host.
        side: One of `SIDES`.
        key_ms: Between two keys; None for a goal that is pasted.
        stay_s: How long the page stays afterwards, so that browsers keep its compiled code.
    """
    path, button, field = SIDES[side]
    context = await playwright.chromium.launch_persistent_context(
        profile, executable_path=find_chromium() or install_chromium(), args=list(ARGS)
    )
    try:
        await context.add_init_script(OPENED)
        await context.add_init_script(WATCH)
        page = await context.new_page()
        await asyncio.sleep(WINDOW_S)
        await page.goto(f"{url}/{path}", wait_until="networkidle")
        await page.locator(button).click()
        await page.wait_for_function("moments.field")
        if key_ms is None:
            await page.locator(field).fill(GOAL)
        else:
            await page.locator(field).press_sequentially(GOAL, delay=key_ms)
        await page.locator(field).press("Enter")
        await page.wait_for_function("moments.step", timeout=LIMIT_MS)
        found: dict[str, float] = await page.evaluate("moments")
        await asyncio.sleep(stay_s)
        return found
    finally:
        await context.close()
