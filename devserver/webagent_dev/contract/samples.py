"""Sample code, run as an agent runs it: in the sandbox, where it can only call tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from webagent.checks.sample_code.javascript import Code, Kind, read_code
from webagent.checks.sample_code.pieces import Piece
from webagent.codegen.identifiers import RESERVED
from webagent.errors import (
    CodeSyntaxError,
    Denied,
    InvalidArguments,
    Navigated,
    NotLoggedIn,
    RateLimited,
    SandboxFailed,
    ToolError,
    ToolThrew,
    ToolTimeout,
)
from webagent.parser.names import is_identifier
from webagent.registry import Binding, ExecutionResult
from webagent.schema import result_mismatches
from webagent.schema.inference import is_empty
from webagent_dev.contract.evidence import Evidence, Fault, is_crash
from webagent_dev.contract.generation import example
from webagent_dev.contract.harness import PageEventKind
from webagent_dev.contract.javascript import js_value
from webagent_dev.contract.permission import Permission, Refusal
from webagent_dev.contract.places import Places
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


_OWNERS = ("global", "globalThis")
"""Names that stand for the page; as a variable they would hide it."""


def filled(code: str, binding: Binding | None) -> tuple[str, tuple[str, ...]]:
    """Return a program with values for the parameters that it uses as variables, and their names.

    The README of the format has such samples: `await global.searchProducts(query, limit)`.

    Args:
        code: Sample code.
        binding: The tool whose sample code it is; None where it is not known.
    """
    read = read_code(code)
    if binding is None or read.fault is not None:
        return code, ()
    params = [param.name.removeprefix("...") for param in binding.params]
    used = free_names(read)
    names = [
        name
        for name in params
        if name in used and is_identifier(name) and name not in RESERVED and name not in _OWNERS
    ]
    if not names:
        return code, ()
    values = " ".join(f"const {name} = {example(binding, name)};" for name in names)
    # In a block, what the program declares itself is its own. The lines stay the same.
    return f"{values} {{ {code}\n}}", tuple(names)


def free_names(code: Code) -> set[str]:
    """Return the names that a program reads and does not declare."""
    tokens, used, declared = code.tokens, set[str](), set[str]()
    for index, token in enumerate(tokens):
        if token.kind is not Kind.NAME:
            continue
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if before in ("const", "let", "var", "function", "class") or after == "=>":
            declared.add(token.text)
        elif before not in (".", "?.") and not (after == ":" and before in ("{", ",")):
            used.add(token.text)
    for opening, closing in code.closes.items():
        before = tokens[opening - 1].text if opening else ""
        after = tokens[closing + 1].text if closing + 1 < len(tokens) else ""
        named = opening > 1 and tokens[opening - 2].text == "function"
        if before in ("const", "let", "var", "catch", "function") or after == "=>" or named:
            declared |= {one.text for one in tokens[opening:closing] if one.kind is Kind.NAME}
    return used - declared


async def run_sample(code: str, session: PageSession, permission: Permission) -> SampleRun:
    """Run a program against the tools of the open page, as far as it is allowed to call them."""
    run = SampleRun(ExecutionResult())

    async def call(name: str, arguments: list[Any]) -> ExecutionResult:
        if session.found(name) is None:
            # A page that an earlier call has led to may register it.
            await session.first_there(name)
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
    pieces: Sequence[Piece],
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
    await session.back()
    own: list[Outcome] = []
    wrote = False
    for piece in pieces:
        code, variables = filled(piece.text, binding)
        run = await run_sample(code, session, permission)
        calls = [one for one in run.outcomes if one.binding.name == name]
        own += calls
        others = [one for one in run.outcomes if one.binding.name != name]
        wrote = wrote or any(one.binding.tool.behavior.effect != "read" for one in others)
        for outcome in calls:
            evidence.take("sample", outcome)
            evidence.keep(_dead_end(outcome, place))
        at = places.at(piece.span(start, start + 1)) if (start := _fault_at(piece, run)) else place
        if evidence.signed_out is None and run.signed_out and run.outcomes:
            evidence.signed_out = run.outcomes[-1]
        if variables and run.error is not None and _is_refusal(run.error):
            evidence.skipped("sample", _unknown_values(name, variables, run.error), at)
            evidence.held_back = True
            continue
        culprit = await _wrong_type(session, run, binding, places)
        evidence.keep([culprit] if culprit else [])
        _judge(run, calls, name, evidence, at)
    settled = "sample" in evidence.faults or evidence.signed_out is not None
    if not own and not settled and not evidence.held_back:
        message = (
            f"the sample code of `{name}` runs and never calls it - agents do not see how it is "
            f"called - write {sample_line(binding)}"
        )
        evidence.keep([Fault("sample", message, "", place)])
    return wrote


def _is_refusal(error: ToolError) -> bool:
    """Whether a tool refused values in words, as it may."""
    return isinstance(error, ToolThrew) and not is_crash(error)


def _unknown_values(name: str, variables: Sequence[str], error: ToolError) -> str:
    names = ", ".join(f"`{one}`" for one in variables)
    said = " ".join(error.message.split())[:200]
    return (
        f"the sample code of `{name}` has variables where values belong: {names} - values that were "
        f"generated for them are refused: {said} - write values that the site knows"
    )


def _fault_at(piece: Piece, run: SampleRun) -> int:
    """Return the offset of the failure in sample code, 0 if it is unknown."""
    error, tokens = run.error, piece.code.tokens
    if error is None:
        return 0
    if isinstance(error, CodeSyntaxError):
        return piece.code.fault.start if piece.code.fault else 0
    named = _NAMED_IN_ERROR.search(error.message)
    if named is not None and not isinstance(error, InvalidArguments):
        word = named[1] or named[2]
        return next((token.start for token in tokens if token.text == word), 0)
    name = run.outcomes[-1].binding.name if run.outcomes else ""
    calls = [
        token.start
        for token, after in pairwise(tokens)
        if token.text == name and after.text in ("(", "?.")
    ]
    made = sum(outcome.binding.name == name for outcome in run.outcomes)
    return calls[min(made, len(calls)) - 1] if calls else 0


_NAMED_IN_ERROR = re.compile(r"\b(\w+) is not defined|\(reading '(\w+)'\)")


async def _wrong_type(
    session: PageSession, run: SampleRun, binding: Binding, places: Places
) -> Fault | None:
    """Return the fault of a declared type that sample code does not fit, if the function takes it."""
    error, last = run.error, run.outcomes[-1] if run.outcomes else None
    if not isinstance(error, InvalidArguments) or last is None or last.binding is not binding:
        return None
    names = [param.name.removeprefix("...") for param in binding.params]
    given = last.named.get(error.path or "")
    if binding.tool.behavior.effect != "read" or error.path not in names or given is None:
        return None
    if not isinstance(given, str | int | float | bool):
        return None
    answer = await session.force(binding, last.named)
    value = answer.result.value
    misfits = result_mismatches(binding.tool, value, types=binding.types).mismatches
    if answer.result.error is not None or is_empty(value) or misfits:
        return None
    index = names.index(error.path)
    return Fault(
        "sample",
        f"`{binding.name}` takes {js_value(given)} for `{error.path}`, as its sample code passes it, and "
        f"declares another type: {error.message} - agents are refused what works - correct the type "
        f"of `{error.path}` under `### Params`",
        last.call,
        places.param(binding.name, index),
        binding.signature(),
        error.path,
    )


def _dead_end(outcome: Outcome, place: Place | None) -> list[Fault]:
    """Return the fault of a call of sample code that leads to a page which is not there."""
    return [
        Fault(
            "sample",
            f"`{outcome.binding.name}` leads to a page that answers with an error: {event.text} - the "
            "page that comes is what an agent gets - correct the address, or the sample code",
            outcome.call,
            place,
        )
        for event in outcome.events(PageEventKind.DEAD_END)
    ]


def _judge(
    run: SampleRun, calls: Sequence[Outcome], name: str, evidence: Evidence, place: Place | None
) -> None:
    """Note why a piece of sample code did not come to its end."""
    # Where a call leads to another page, that page is its outcome.
    error = None if isinstance(run.error, Navigated) else run.error
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
