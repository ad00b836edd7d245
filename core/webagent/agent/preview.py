"""What a model would be given for a goal, for people who want to know beforehand."""

from __future__ import annotations

import json
from typing import Any

from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.builder import MessageBuilder
from webagent.agent.clock import SystemClock
from webagent.agent.files import Files
from webagent.agent.mask import Mask
from webagent.agent.prompting import tokens_in, tokens_of
from webagent.agent.redact import Redactor
from webagent.agent.run import Run
from webagent.agent.scene import Scene
from webagent.page.port import Page
from webagent.registry import ToolRegistry
from webagent.registry.export import typescript


async def preview(
    page: Page, registry: ToolRegistry, goal: str, *, context_tokens: int
) -> dict[str, Any]:
    """Return the first message to a model, taken apart; no model is asked.

    Args:
        page: What it would work on.
        registry: The page's tools.
        goal: What is wanted, in words; it may be empty.
        context_tokens: How much the model reads.

    Returns:
        `{"messages": [{"role", "text"}], "tools": [{"name", "description", "parameters"}],
        "typescript", "tokens": {"system", "goal", "page", "tools", "total"}}`; tokens are estimated.

    Raises:
        ToolError: The page cannot be looked at.
    """
    await registry.refresh()
    snapshot = await page.snapshot()
    scene = Scene(snapshot, registry.list(), SystemClock().now(), registry.manifest.name)
    tools = ActionTable(default_actions()).definitions()
    builder = MessageBuilder(lambda: registry.manifest, Files(), context_tokens=context_tokens)
    system, asked, shown = builder.build(Run(goal, ""), scene, tools)
    mask = Mask(registry.secrets, Redactor())
    parts = {"system": tokens_of(system), "goal": tokens_of(asked), "page": tokens_of(shown)}
    offered = [
        {"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools
    ]
    parts["tools"] = sum(tokens_in(json.dumps(tool)) for tool in offered)
    messages = [
        {"role": message.role.value, "text": mask.text(message.text)}
        for message in (system, asked, shown)
    ]
    return {
        "messages": messages,
        "tools": offered,
        "typescript": typescript(registry.manifest, registry.list()),
        "tokens": {**parts, "total": sum(parts.values())},
    }
