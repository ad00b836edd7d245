"""Scripts for tests of forms: put a form into a page, wait until it is a tool, call it."""

from __future__ import annotations

from typing import Any

from tests.e2e.modelcontext.conftest import Run

KIT = """
const put = (html) => {
  const box = document.createElement("div");
  box.innerHTML = html;
  document.body.append(box);
  return box.querySelector("form");
};
/** The tool, once it is there. */
const listed = async (name = "t") => {
  for (;;) {
    const tool = (await toolsBy())[name];
    if (tool) return tool;
    await task();
  }
};
/** The schema's properties of a form that has this inside. */
const form = async (inside, attributes = "toolautosubmit") => {
  const made = put(`<form toolname="t" tooldescription="d" ${attributes}>${inside}</form>`);
  await listed();
  return made;
};
/** A form that waits for a click on its button. */
const waiting = (inside = '<input name="a">') => form(inside + '<button id="go">go</button>', "");
const told = (promise) => promise.then((value) => value, (error) => `${error.name}: ${error.message}`);
const call = async (input, options) => told(mc.executeTool(await listed(), input, options));
/** Calls the tool; `over` is its outcome, in a box since promises unwrap. */
const start = async (input, options) => {
  const activated = next(mc, "toolactivated");
  const box = { outcome: "waits" };
  box.over = call(input, options).then((outcome) => (box.outcome = outcome));
  await activated;
  return box;
};
/** Answers submissions with what the function gives. */
const answer = (form, give = () => "done") =>
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.agentInvoked) event.respondWith(give(event));
  });
const go = () => document.getElementById("go");
/** Resolves after everything that was already under way. */
const later = async () => { for (let i = 0; i < 20; i++) { await task(); await mc.getTools(); } };
"""


def with_forms(run: Run) -> Run:
    """Let the code use the kit above."""

    async def run_with_forms(code: str, argument: Any = None) -> Any:
        return await run(KIT + code, argument)

    return run_with_forms
