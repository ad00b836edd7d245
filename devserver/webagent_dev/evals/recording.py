"""Records the calls of an agent: those that reached a tool, and those that were refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent import Action, Answer, Context, Intent, Request
from webagent.agent.actions.call_tool import CallTool
from webagent.agent.person import NOBODY
from webagent.errors import Denied, ToolError
from webagent.page.port import Ask, Page
from webagent.page.values import is_pending
from webagent.registry import PreparedCall, ToolRegistry
from webagent.registry.binding import by_name
from webagent.results import ExecutionResult
from webagent_dev.evals.case import ActualCall


class RecordingRegistry(ToolRegistry):
    """The tools of a page; remembers the calls that go through it.

    Attributes:
        recorded_calls: Those calls, and what else a run was about to call, in order.
    """

    def __init__(self, page: Page, *, mocked: bool = False) -> None:
        """Begin with no call.

        Args:
            page: Where the tools are.
            mocked: Whether its results are made up.
        """
        super().__init__(page)
        self.recorded_calls: list[ActualCall] = []
        self._mocked = mocked

    async def call(
        self,
        name: str,
        arguments: Sequence[Any],
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        for_program: bool = False,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Call a tool with its arguments as it takes them, and remember it."""
        made = self._note(name, self._by_name(name, arguments))
        result = await super().call(
            name, arguments, timeout_s=timeout_s, group=group, for_program=for_program, ask=ask
        )
        return _ended(made, result)

    async def invoke(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Call a tool with named arguments, and remember it."""
        made = self._note(name, arguments)
        return _ended(
            made, await super().invoke(name, arguments, timeout_s=timeout_s, group=group, ask=ask)
        )

    async def invoke_prepared(
        self,
        call: PreparedCall,
        *,
        timeout_s: float | None = None,
        group: int | None = None,
        for_program: bool = False,
        ask: Ask | None = None,
    ) -> ExecutionResult:
        """Make a prepared call, and remember it."""
        made = self._note(call.name, call.named)
        result = await super().invoke_prepared(
            call, timeout_s=timeout_s, group=group, for_program=for_program, ask=ask
        )
        return _ended(made, result)

    def refused(self, name: str, arguments: Mapping[str, Any], error: ToolError) -> None:
        """Remember a call that was not let through."""
        made = self._note(name, arguments)
        made.error, made.refused = error.to_dict(), True

    def _note(self, name: str, arguments: Mapping[str, Any]) -> ActualCall:
        made = ActualCall(name, dict(arguments), mocked=self._mocked)
        self.recorded_calls.append(made)
        return made

    def _by_name(self, name: str, arguments: Sequence[Any]) -> Mapping[str, Any]:
        """Return arguments as they are compared; of a tool that does not exist there are none."""
        return by_name(self.get(name), arguments) if name in self.names() else {}


PENDING_RESULT = "pending form submission"
"""The result of a form that waits for a person, in the words of WebMCP's evaluations."""


def _ended(made: ActualCall, result: ExecutionResult) -> ExecutionResult:
    made.value = PENDING_RESULT if is_pending(result.value) else result.value
    if result.error is not None:
        made.error = result.error.to_dict()
        made.refused = result.error.kind in ("unknown_tool", "invalid_arguments", "denied")
    return result


class RecordingCallTool(CallTool):
    """Calls a tool; what does not come so far is remembered too."""

    def __init__(self, registry: RecordingRegistry) -> None:
        self._recording = registry

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Say what the call would do; one that cannot be made is a call all the same."""
        try:
            return await super().intent(arguments, context)
        except ToolError as error:
            given = arguments.get("arguments") or {}
            self._recording.refused(str(arguments["name"]), given, error)
            raise


class EvalPerson:
    """The person of an evaluation: says yes to what the case expects, and answers no question.

    Attributes:
        asked: The questions so far.
    """

    def __init__(self, registry: RecordingRegistry, allowed: frozenset[str] | None) -> None:
        """Allow the tools that are named; None allows all."""
        self._registry = registry
        self._allowed = allowed
        self.asked: list[str] = []

    async def ask(self, request: Request) -> Answer:
        """Answer at once."""
        if request.kind == "plan":
            return Answer(True)
        if request.kind != "approval":
            self.asked.append(request.text)
            return Answer(False, NOBODY)
        tool = str(request.details.get("tool") or "")
        if self._allowed is None or tool in self._allowed:
            return Answer(True)
        if not tool:
            return Answer(False, "the calls of tools are evaluated, and nothing else is changed")
        reason = "the case does not expect it, so it is not done"
        given = request.details.get("arguments")
        arguments = given if isinstance(given, Mapping) else {}
        self._registry.refused(tool, arguments, Denied(reason, tool=tool))
        return Answer(False, reason)


def actions_of(every: Sequence[Action], registry: RecordingRegistry, *, page: bool) -> list[Action]:
    """Return what the agent of an evaluation can do: without a page, only what needs none."""
    kept = [
        action
        for action in every
        if action.definition.name != "call_tool" and (page or action.definition.name in _PAGELESS)
    ]
    return [RecordingCallTool(registry), *kept]


_PAGELESS = ("make_plan", "communicate", "take_note", "finish")
