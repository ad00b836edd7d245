"""The decider that asks a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webagent.agent.broker import Broker
from webagent.agent.prompting import Builder
from webagent.agent.run import Run, Scene
from webagent.agent.toolset import Offer, Toolset, toolset_of
from webagent.llm.chat import Reply, ToolDefinition
from webagent.registry import ToolRegistry
from webagent.types import Manifest

_FOR_MORE = ("call_tool", "search_tools")
"""Actions that serve the tools for which there is no room."""


class ModelDecider:
    """Asks a model what comes next. It plans with the action `make_plan`, if the goal needs a plan."""

    def __init__(
        self,
        builder: Builder,
        broker: Broker,
        registry: ToolRegistry,
        actions: Callable[[], Sequence[ToolDefinition]],
        *,
        offer: Offer,
        tool_tokens: int,
    ) -> None:
        """Create a decider.

        Args:
            builder: Writes the messages.
            broker: Sends them.
            registry: The page's tools.
            actions: Returns the definitions of all actions.
            offer: How the model uses the page's tools.
            tool_tokens: Tokens that these tools may take.
        """
        self._builder = builder
        self._broker = broker
        self._registry = registry
        self._actions = actions
        self._offer: Offer = offer
        self._tool_tokens = tool_tokens

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the model's next words and calls."""
        tools, toolset = offered_tools(
            self._actions(),
            self._registry.manifest,
            scene,
            run.goal,
            offer=self._offer,
            most=self._tool_tokens,
        )
        messages = self._builder.build(run, scene, tools, toolset)
        return await self._broker.send(run, messages, tools)


def offered_tools(
    actions: Sequence[ToolDefinition],
    manifest: Manifest,
    scene: Scene,
    goal: str,
    *,
    offer: Offer,
    most: int,
) -> tuple[list[ToolDefinition], Toolset]:
    """Return the tools that a model may call: actions, and the page's own as far as there is room.

    Args:
        actions: The definitions of all actions.
        manifest: The site's manifest.
        scene: The page now.
        goal: The person's goal.
        offer: How the model uses the page's tools.
        most: Tokens that these tools may take.
    """
    named = {action.name: action for action in actions}
    if "call_tool" not in named:
        offer = "code"
    elif "execute_js" not in named:
        offer = "native"
    tools = scene.tools if {"call_tool", "execute_js"} & named.keys() else ()
    toolset = toolset_of(manifest, tools, goal, offer=offer, most=most, taken=named)
    if toolset.empty or offer == "native":
        named.pop("execute_js", None)
    if toolset.whole:
        for name in _FOR_MORE:
            named.pop(name, None)
    return [*named.values(), *toolset.native], toolset
