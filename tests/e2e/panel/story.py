"""An agent that sends the events of a test, and the events of a story."""

from __future__ import annotations

from typing import Any

AGENT = """
import { openPanel, restorePanel } from "/panel.js";
class Agent extends EventTarget {
  goals = []; options = []; stops = 0; signals = []; answers = []; transcripts = {};
  run(goal, { signal, ...options }) {
    this.goals.push(goal);
    this.options.push(options);
    this.signals.push(signal);
    if (this.refuses) return Promise.reject(new Error(this.refuses));
    return new Promise((resolve) => { this.done = resolve; });
  }
  async stop() { this.stops++; }
  text = window.manifestText ?? "";
  async manifestText() { return this.text; }
  async transcript(form) { return this.transcripts[form] ?? ""; }
  files = {};
  async file(runId, name) { return (runId === "r1" && this.files[name]) || null; }
  grants = [];
  async allowed() { return this.grants; }
  async revoke(key) { this.grants = this.grants.filter((grant) => grant.key !== key); return true; }
  pauses = [];
  prepared = 0;
  async runs() {
    return { prepare: () => this.prepared++, pause: () => this.pauses.push("pause"), unpause: () => this.pauses.push("unpause") };
  }
  async whenAsked(ask) { this.ask = ask; return this.heard; }
  heard = window.heardBefore ?? [];
  tell(...events) {
    for (const event of events) {
      this.dispatchEvent(new CustomEvent("agent", { detail: { run_id: "r1", ...event } }));
      if (event.type === "finished") this.done?.({});
    }
  }
  // Files stay files: what else an answer holds is plain.
  request(request) {
    this.ask(request).then(async ({ files, ...answer }) => {
      if (files) answer.files = await Promise.all(
        [...files].map(async (file) => [file.name, file.type, await file.text()]));
      this.answers.push(answer);
    });
  }
}
const agent = window.agent = new Agent();
window.panel = await restorePanel(agent);
window.openPanel = () => openPanel(agent);
window.loaded = true;
"""

STEPS: list[dict[str, Any]] = [
    {"text": "Search the catalogue for “Tolkien”", "tool": "searchBooks", "effect": "read"},
    {"text": "Add the cheapest one to the basket", "tool": "addToBasket", "effect": "write"},
    {"text": "Show the basket", "action": "click_link", "effect": "read"},
]
PLAN = {
    "text": "I will search for books by Tolkien and add the cheapest one to your basket.",
    "steps": [{"action": "call_tool", "tool": "", **step} for step in STEPS],
}
PLANNED = {"type": "planned", "plan": PLAN, "revised": False}
BOOKS = {
    "total": 3,
    "books": [
        {"id": "b-071", "title": "The Hobbit", "author": "J. R. R. Tolkien", "price": 8.99},
        {"id": "b-072", "title": "The Silmarillion", "author": "J. R. R. Tolkien", "price": 11.5},
        {"id": "b-073", "title": "Unfinished Tales", "author": "J. R. R. Tolkien", "price": 12},
    ],
}
GOAL = "Find books by Tolkien and add the cheapest one to my basket"


def step(step_id: str, state: str = "finished", **more: Any) -> dict[str, Any]:
    """Return an event of a step that calls a tool."""
    event = {
        "type": "step",
        "number": 1,
        "id": step_id,
        "action": "call_tool",
        "arguments": {},
        "why": "",
        "effect": "read",
        "state": state,
    }
    return event | more


STARTED = {"type": "started", "goal": GOAL, "resumed": False, "model": "small-1"}
SEARCH = step(
    "s1",
    tool="searchBooks",
    arguments={"query": "Tolkien", "limit": 20},
    why="Search the catalogue for “Tolkien”",
    value=BOOKS,
    duration_ms=41.7,
)
FAILED = step(
    "s2",
    "failed",
    tool="addToBasket",
    arguments={"id": "b-07", "quantity": 1},
    why="Add The Hobbit to the basket",
    error={
        "kind": "threw",
        "message": "no book has the id `b-07`",
        "help": "take an `id` from `searchBooks`",
    },
    duration_ms=12,
)
ADDED = step(
    "s3",
    tool="addToBasket",
    arguments={"id": "b-071", "quantity": 1},
    why="Add The Hobbit to the basket",
    value={"basket": {"count": 1, "total": 8.99}},
    duration_ms=1830,
)
SPENT = {
    "type": "spent",
    "steps": 3,
    "seconds": 12.4,
    "prompt": 4100,
    "completion": 110,
    "cached": 0,
    "usd": "0.00123",
}
SENT = {
    "type": "sent",
    "messages": [
        {"role": "system", "text": "You work on a web page for a person."},
        {"role": "user", "text": GOAL},
        {"role": "assistant", "text": "", "calls": [{"name": "searchBooks", "arguments": {}}]},
    ],
    "tools": ["execute_js"],
}
FINISHED = {
    "type": "finished",
    "ok": True,
    "text": "The Hobbit by J. R. R. Tolkien, the cheapest of three at £8.99, is in your basket.",
}
APPROVAL = {
    "kind": "approval",
    "text": "Add “The Hobbit” to your basket?",
    "details": {
        "action": "call_tool",
        "tool": "addToBasket",
        "title": "Add to basket",
        "effect": "write",
        "arguments": {"id": "b-071", "quantity": 1},
        "origins": {
            "id": {"from": "result", "of": "searchBooks", "title": "Search the shelves"},
            "quantity": {"from": "agent"},
        },
        "labels": {"id": "Book", "quantity": "Number of copies"},
        "names": {"id": "The Hobbit"},
        "session": True,
        "grants": [{"key": "addToBasket", "kind": "tool", "text": "use `addToBasket`"}],
        "reason": "",
    },
}
QUESTION = {
    "kind": "question",
    "text": "Two books cost the same. Do you want the paperback or the hardback?",
    "details": {},
}
