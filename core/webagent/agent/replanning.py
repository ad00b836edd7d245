"""Where the page is not as the plan took it to be."""

from __future__ import annotations

from collections.abc import Sequence

from webagent.agent.run import Done, Plan, Run, Scene
from webagent.llm.chat import ToolCall
from webagent.urls import absolute, path_of, same_page

_OF_THE_PAGE = frozenset(
    ("missing_function", "navigated", "no_page", "origin_mismatch", "page_gone")
)
"""Failures that say that the page is another than it was. What a tool throws is an answer: whoever
decides reads it, and the plan may hold all the same."""


def surprise(run: Run, before: Scene, now: Scene, done: Sequence[Done]) -> str | None:
    """Return what of the plan does not hold any more, or None if nothing is known to.

    Args:
        run: With the plan.
        before: What there was when the step began.
        now: What there is.
        done: The actions of the step.
    """
    for action in done:
        error = action.error
        if error is not None and error.get("kind") in _OF_THE_PAGE:
            tool = error.get("tool") or action.call.name
            return f"`{tool}` failed - {error.get('message', '')}"
        if reason := elsewhere(action.call, before.snapshot.url, now):
            return reason
    return _tools_gone(run, before, now)


def elsewhere(call: ToolCall, base: str, now: Scene) -> str | None:
    """Return that another page came than the one that was asked for, if so."""
    asked = call.arguments.get("url") if call.name == "goto_url" else None
    url = absolute(base, asked) if isinstance(asked, str) else None
    if url is None or not now.snapshot.url or same_page(url, now.snapshot.url):
        return None
    return f"`{path_of(url)}` was asked for, and the page is `{path_of(now.snapshot.url)}`"


def _tools_gone(run: Run, before: Scene, now: Scene) -> str | None:
    """Return which tools of the plan cannot be called any more, and could before."""
    there = {binding.name for binding in now.tools if binding.problem is None}
    had = {binding.name for binding in before.tools if binding.problem is None}
    used = {str(done.call.arguments.get("name", "")) for done in run.done()}
    gone = [name for name in _tools(run.plan) if name in had - there and name not in used]
    if not gone:
        return None
    named = ", ".join(f"`{name}`" for name in gone)
    return f"the page has no {named} any more"


def _tools(plan: Plan | None) -> list[str]:
    return [step.tool for step in plan.steps if step.tool] if plan else []
