"""Makes the expected calls of cases themselves, in order, in pages of a site; there is no agent.

A constraint has no value of its own, so a value that it lets pass takes its place.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import islice
from typing import Any

from webagent.errors import ToolError, UnknownTool
from webagent.json_text import read_json
from webagent.page.values import encode
from webagent.schema.regex import Choice, One, Repeat, Row, Unsupported, read_regex
from webagent.schema.regex import Node as Pattern
from webagent_dev.evals.case import ActualCall, Case, ExpectedCall, calls_in
from webagent_dev.evals.case_runner import Settings, cancellation_first, too_long
from webagent_dev.evals.comparison import Row as ComparedRow
from webagent_dev.evals.constraints import CONSTRAINTS, is_constraint, split_flags
from webagent_dev.evals.environments import Environment
from webagent_dev.evals.mock_page import sample_value
from webagent_dev.evals.outcome import Evaluation, Outcome, Verdict
from webagent_dev.evals.recording import RecordingRegistry
from webagent_site.errors import UsageError

APPEAR_S = 5.0
"""How long a tool may take to appear: a page may register it late, or after the call before."""

_POLL_S = 0.1

_MOST_SAMPLES = 500
"""Texts that are tried for a pattern."""

_FAILED = re.compile(r"error[:\s]", re.IGNORECASE)


def required_calls(case: Case) -> list[ExpectedCall]:
    """Return the calls that a smoke run makes: those that are not optional, as they are written."""
    return [call for call in calls_in(case.expected) if not call.optional]


def smoke_cases(cases: Sequence[Case], file: str) -> list[Case]:
    """Return the cases that expect a call.

    Raises:
        UsageError: There is none, or a call has no arguments; nothing was called yet.
    """
    faults = [
        f"{file}:{case.line}: step {number} of {case.name!r} calls `{call.name}` with any "
        "arguments - a smoke run needs some - write `arguments`, as in `{}`"
        for case in cases
        for number, call in enumerate(required_calls(case), 1)
        if call.arguments is None
    ]
    if faults:
        raise UsageError("\n".join(faults))
    kept = [case for case in cases if required_calls(case)]
    if not kept:
        raise UsageError(
            f"`{file}` has no case that expects a call - a smoke run makes the expected calls - "
            "leave `--smoke` out"
        )
    return kept


async def run_smoke(
    cases: Sequence[Case],
    environment: Environment,
    evaluation: Evaluation,
    settings: Settings,
    *,
    on_begin: Callable[[Case], None] = lambda case: None,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> None:
    """Make the calls of all cases, each case in a fresh page; what is known is in the evaluation.

    Raises:
        UsageError: The environment cannot be opened at all.
    """
    for case in cases:
        on_begin(case)
        started = time.monotonic()
        rows: list[ComparedRow] = []
        verdict: Verdict
        problem = ""
        try:
            with cancellation_first():
                async with asyncio.timeout(settings.timeout_s), environment.opened(case) as given:
                    problem = await _make_calls(case, given.registry, rows)
            verdict = "failed" if problem else "passed"
        except UsageError as misuse:
            if not evaluation.outcomes:
                raise
            verdict, problem = "error", str(misuse)
        except TimeoutError:
            calls = required_calls(case)
            at = min(len(rows), len(calls) - 1)
            verdict, problem = "error", _step(at, calls) + too_long(settings.timeout_s)
        except Exception as error:
            verdict, problem = "error", f"the run broke - {type(error).__name__}: {error}"
        rows += [ComparedRow(call, None, "missing") for call in required_calls(case)[len(rows) :]]
        seconds = time.monotonic() - started
        outcome = Outcome(case, 1, verdict, rows, problem=problem, seconds=seconds)
        evaluation.outcomes.append(outcome)
        on_outcome(outcome)


async def _make_calls(case: Case, registry: RecordingRegistry, rows: list[ComparedRow]) -> str:
    """Make the calls of a case up to the first that fails; return why it failed."""
    calls = required_calls(case)
    for index, call in enumerate(calls):
        made, problem = await _make_call(call, registry)
        if problem:
            if made is not None:
                rows.append(ComparedRow(call, made, "differs"))
            return _step(index, calls) + problem
        rows.append(ComparedRow(call, made, "agrees"))
    return ""


def _step(index: int, calls: Sequence[ExpectedCall]) -> str:
    return f"step {index + 1} of {len(calls)}, `{calls[index].name}`: "


async def _make_call(
    call: ExpectedCall, registry: RecordingRegistry
) -> tuple[ActualCall | None, str]:
    """Make a call; return it, and why it failed."""
    try:
        schema = await _input_schema(call.name, registry)
    except UnknownTool as error:
        return None, f"{error.message} - {error.help}"
    try:
        arguments = concrete(call.arguments, schema)
        named = {name: encode(value) for name, value in arguments.items()}
    except ToolError as error:
        return None, error.message
    result = await registry.invoke(call.name, named)
    made = registry.recorded_calls[-1]
    # A tool that leads to another document was called all the same.
    if result.error is not None and result.error.kind != "navigated":
        return made, f"{result.error.kind}: {result.error.message}"
    return made, _reported_failure(made.value)


async def _input_schema(name: str, registry: RecordingRegistry) -> Mapping[str, Any]:
    """Return what a tool takes, as soon as the page offers it.

    Raises:
        UnknownTool: The page does not offer it in time.
    """
    end = time.monotonic() + APPEAR_S
    while name not in registry.names() or registry.get(name).problem:
        if time.monotonic() > end:
            break
        await asyncio.sleep(_POLL_S)
        await registry.refresh()
    schema: Mapping[str, Any] = registry.get(name).describe()["input_schema"]
    return schema


def _reported_failure(value: Any) -> str:
    """Return the failure that a result reports; empty if it reports none."""
    if isinstance(value, str):
        if _FAILED.match(value.strip()):
            return f"the tool reports a failure: {value.strip()[:500]}"
        with suppress(ValueError):
            value = read_json(value)
    if not isinstance(value, Mapping):
        return ""
    error = value.get("error")
    if value.get("success") is False or value.get("isError") is True or isinstance(error, str):
        said = error if isinstance(error, str) and error else value.get("message")
        text = said if isinstance(said, str) and said else json.dumps(value, default=str)
        return f"the tool reports a failure: {text[:500]}"
    return ""


# Values for constraints


def concrete(value: Any, schema: Any, name: str = "value") -> Any:
    """Return an expected value with values in place of its constraints.

    Args:
        value: As a case has it.
        schema: JSON Schema of the value, as far as it is known.
        name: What it is called.
    """
    schema = schema if isinstance(schema, Mapping) else {}
    if is_constraint(value):
        fitting = (
            one
            for one in _candidates(value, schema, name)
            if all(CONSTRAINTS[word].holds(limit, one) for word, limit in value.items())
        )
        return next(fitting, next(_candidates(value, schema, name)))
    if isinstance(value, Mapping):
        members = schema.get("properties")
        members = members if isinstance(members, Mapping) else {}
        return {key: concrete(one, members.get(key), str(key)) for key, one in value.items()}
    if isinstance(value, list):
        return [concrete(one, schema.get("items"), name) for one in value]
    return value


def _candidates(limits: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> Iterator[Any]:
    """Yield values that constraints may let pass, the likeliest first."""
    numbers = [limits[word] for word in ("$gte", "$lte", "$gt", "$lt") if word in limits]
    for word in ("$eq", "$contains"):
        if word in limits:
            yield concrete(limits[word], schema, name)
    if "$pattern" in limits:
        yield from _texts(limits["$pattern"])
    yield from numbers
    yield from (number + by for number in numbers for by in (1, -1))
    if len(numbers) > 1:
        yield sum(numbers) / len(numbers)
    if schema.get("format") == "date" or "date" in name.lower():
        yield (date.today() + timedelta(days=1)).isoformat()
    if schema:
        yield sample_value(schema, name)
    yield from ("sample", 1, True, [], {}, None)


def _texts(pattern: str) -> Iterator[str]:
    """Yield texts in which a pattern may be found."""
    pattern, flags = split_flags(pattern)
    with suppress(Unsupported):
        yield from islice(_written(read_regex(pattern, flags)), _MOST_SAMPLES)


_LIKELY = "1a A-_.@/,:0"
"""Characters that are tried first, in this order."""


def _written(node: Pattern) -> Iterator[str]:
    match node:
        case One(ranges):
            yield _character(ranges)
        case Row(nodes):
            yield from _rows(nodes)
        case Choice(nodes):
            for inner in nodes:
                yield from _written(inner)
        case Repeat(inner, fewest, most):
            # A part that may be anything is a space between what is around it.
            anything = isinstance(inner, One) and _holds(inner, "1") and _holds(inner, " ")
            if anything and most is None:
                yield " " * max(fewest, 1)
            for times in sorted({max(fewest, 1), fewest, fewest + 2}):
                if most is None or times <= most:
                    yield from (text * times for text in islice(_written(inner), 20))
        case _:
            yield ""


def _rows(nodes: Sequence[Pattern]) -> Iterator[str]:
    if not nodes:
        yield ""
        return
    for first in islice(_written(nodes[0]), 20):
        yield from (first + rest for rest in _rows(nodes[1:]))


def _character(ranges: Sequence[tuple[int, int]]) -> str:
    likely = (char for char in _LIKELY if any(low <= ord(char) <= high for low, high in ranges))
    return next(likely, chr(ranges[0][0]) if ranges else "")


def _holds(node: One, char: str) -> bool:
    return any(low <= ord(char) <= high for low, high in node.ranges)
