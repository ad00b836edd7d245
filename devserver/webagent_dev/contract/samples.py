"""Sample code, run as an agent runs it: in the sandbox, where it can only call tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.errors import (
    CodeSyntaxError,
    Denied,
    NotLoggedIn,
    RateLimited,
    SandboxFailed,
    ToolError,
    ToolTimeout,
)
from webagent.registry import Binding, ExecutionResult
from webagent_dev.contract.evidence import Evidence, Fault
from webagent_dev.contract.permission import Permission, Refusal
from webagent_dev.contract.proof import Places
from webagent_dev.contract.session import Outcome, PageSession
from webagent_dev.reports.content import Place

_LEAST_S = 30.0
"""How long a program may run at least."""
_CALLS = 3
"""How many calls of the longest kind a program has time for."""


@dataclass(slots=True)
class SampleRun:
    """One run of a program, and the outcomes of its calls."""

    result: ExecutionResult
    outcomes: list[Outcome] = field(default_factory=list)
    """Of all calls that it made."""
    refused: tuple[str, Refusal] | None = None
    """The first tool that it was not allowed to call, and why."""

    @property
    def error(self) -> ToolError | None:
        """Why it failed."""
        return self.result.error

    @property
    def signed_out(self) -> bool:
        """Whether it ended because nobody is signed in."""
        return isinstance(self.error, NotLoggedIn)


async def run_sample(code: str, session: PageSession, permission: Permission) -> SampleRun:
    """Run a program against the tools of the open page, as far as it is allowed to call them."""
    run = SampleRun(ExecutionResult())

    async def call(name: str, arguments: list[Any]) -> ExecutionResult:
        try:
            binding = session.registry.get(name)
        except ToolError as error:
            return ExecutionResult(error=error)
        refusal = permission.refusal(binding)
        if refusal is not None:
            run.refused = run.refused or (name, refusal)
            return ExecutionResult(error=Denied(f"`{name}` may not be called: {refusal.reason}"))
        outcome = await session.call(name, arguments)
        run.outcomes.append(outcome)
        return outcome.result

    bindings = session.registry.list()
    longest_s = max((session.limit_s(binding) for binding in bindings), default=0.0)
    run.result = await session.open_page.page.run_code(
        code,
        tools={binding.name: binding.source.value for binding in bindings},
        call=call,
        isolation="sandbox",
        timeout_s=max(_LEAST_S, _CALLS * longest_s),
    )
    return run


def failure_message(error: ToolError, name: str, calls: Sequence[Outcome]) -> tuple[str, str]:
    """Return why a program failed, and what to do.

    Args:
        error: What ended it.
        name: The tool whose sample code it is.
        calls: Its calls of that tool.
    """
    said = " ".join(error.message.split())[:300]
    if isinstance(error, CodeSyntaxError):
        return (
            f"the sample code of `{name}` is not a program: {said}",
            "mend it; agents learn from it",
        )
    if isinstance(error, SandboxFailed):
        return f"the sample code of `{name}` cannot be run: {said}", error.help or "mend the page"
    if isinstance(error, ToolTimeout) and not any(
        isinstance(outcome.result.error, ToolTimeout) for outcome in calls
    ):
        return f"the sample code of `{name}` does not end: {said}", "write code that ends"
    return (
        f"the sample code of `{name}` fails: {said}",
        "mend the sample code or the function; agents write their own code after this model",
    )


async def prove_sample(
    session: PageSession,
    binding: Binding,
    evidence: Evidence,
    pieces: Sequence[str],
    permission: Permission,
    places: Places,
) -> bool:
    """Run the sample code of a tool, piece by piece; say whether it called others that may write.

    Args:
        session: A page that has the tool.
        binding: The tool.
        evidence: Where it is noted.
        pieces: Its sample code, a program each.
        permission: What may be called.
        places: The lines of the manifest.
    """
    name = binding.name
    place = places.sample(name)
    if not pieces:
        evidence.skipped(
            "sample",
            f"`{name}` has no sample code - agents write theirs after it, and it is tried first - "
            f"write `### Sample Code` with {sample_line(binding)}",
            place,
        )
        return False
    evidence.passed("sample")
    own: list[Outcome] = []
    wrote = False
    for code in pieces:
        run = await run_sample(code, session, permission)
        calls = [one for one in run.outcomes if one.binding.name == name]
        own += calls
        others = [one for one in run.outcomes if one.binding.name != name]
        wrote = wrote or any(one.binding.tool.behavior.effect != "read" for one in others)
        for outcome in calls:
            evidence.take("sample", outcome)
        if evidence.signed_out is None and run.signed_out and run.outcomes:
            evidence.signed_out = run.outcomes[-1]
        _judge(run, calls, name, evidence, place)
    settled = "sample" in evidence.faults or evidence.signed_out is not None
    if not own and not settled and not evidence.held_back:
        message = (
            f"the sample code of `{name}` runs and never calls it - agents do not see how it is "
            f"called - write {sample_line(binding)}"
        )
        evidence.keep([Fault("sample", message, "", place)])
    return wrote


def _judge(
    run: SampleRun, calls: Sequence[Outcome], name: str, evidence: Evidence, place: Place | None
) -> None:
    """Note why a piece of sample code did not come to its end."""
    error = run.error
    if run.refused is not None:
        other, refusal = run.refused
        evidence.held_back = True
        evidence.skipped(
            "sample",
            f"the sample code of `{name}` calls `{other}`, which was held back: {refusal.reason} - "
            f"write {refusal.allow} for `{other}`",
            place,
        )
    elif isinstance(error, RateLimited):
        evidence.held_back = True
        evidence.skipped(
            "sample", f"the sample code of `{name}` was not run to its end: {error.message}", place
        )
    elif error is not None and evidence.signed_out is None and not evidence.faults:
        # A fault of the call itself says more than that its program failed.
        what, remedy = failure_message(error, name, calls)
        call = calls[-1].call if calls else ""
        evidence.keep([Fault("sample", f"{what} - {remedy}", call, place)])


def sample_line(binding: Binding) -> str:
    """Return the call that sample code could show."""
    return f"`await global.{binding.signature().replace('?', '')}`"
