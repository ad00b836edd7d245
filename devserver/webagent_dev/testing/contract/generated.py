"""Calls of a tool that only reads, with arguments that nobody wrote."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from typing import Any

from webagent.errors import NotLoggedIn, RateLimited, ToolThrew
from webagent.registry import Binding
from webagent.registry.limits import read_rate
from webagent_dev.contract.evidence import Evidence
from webagent_dev.contract.properties import MOST_CALLS, Enough, Nothing, explore
from webagent_dev.contract.session import Outcome, Visit
from webagent_dev.testing.contract.faults import Fault
from webagent_dev.testing.contract.generating.arguments import arguments, fits, wrong_arguments
from webagent_dev.testing.contract.hostile import HOSTILE, MARK
from webagent_dev.testing.contract.places import Places

_LONGEST_S = 20.0
"""How long hostile texts are tried on one tool."""
_MOST_WRONG = 12
"""Calls with arguments of wrong types."""


async def prove_generated(
    visit: Visit, binding: Binding, evidence: Evidence, places: Places, *, seed: int
) -> None:
    """Call a tool with whatever it declares, with hostile texts, and with what it does not declare.

    Args:
        visit: A page that has the tool.
        binding: The tool.
        evidence: Where it is noted.
        places: The lines of the manifest.
        seed: Where the arguments come from.
    """
    if not binding.params:
        if not evidence.answered:
            evidence.take("arguments", await visit.invoke(binding.name, {}))
            evidence.passed("arguments")
        return
    await _declared(visit, binding, evidence, places, seed)
    if binding.tool.behavior.rate:
        return
    if evidence.in_time:
        await _hostile(visit, binding, evidence)
    if evidence.in_time:
        await _wrong(visit, binding, evidence)


async def _declared(
    visit: Visit, binding: Binding, evidence: Evidence, places: Places, seed: int
) -> None:
    name = binding.name
    answered = made = 0
    refused: list[str] = []

    async def attempt(given: Any) -> list[Fault]:
        nonlocal answered, made
        outcome = await visit.invoke(name, given)
        error = outcome.result.error
        found = evidence.judged("arguments", outcome)
        if isinstance(error, RateLimited | NotLoggedIn):
            raise Enough
        made += 1
        evidence.tried = given
        answered += error is None
        if isinstance(error, ToolThrew):
            refused.append(" ".join(error.message.split())[:200])
        return found

    rate = read_rate(binding.tool.behavior.rate)
    most = min(MOST_CALLS, rate[0] // 2) if rate else MOST_CALLS
    if not most:
        return
    try:
        found = await explore(
            lambda: arguments(binding, evidence.seen), attempt, seed=seed, most=most
        )
    except Nothing as why:
        message = (
            f"no arguments could be made for `{name}` - {why} - "
            "correct `### Params` or `### Input Schema`"
        )
        for proof in ("arguments", "strings", "types"):
            evidence.skipped(proof, message, places.param(name, 0))
        return
    evidence.keep(found)
    if made:
        evidence.passed("arguments")
    else:
        evidence.skipped("arguments", f"`{name}` let no call with generated arguments through")
    if refused:
        evidence.remark(
            "arguments",
            f"{len(refused)} of {len(refused) + answered} generated calls were refused, such as with "
            f"“{min(refused, key=len)}”",
        )


async def _hostile(visit: Visit, binding: Binding, evidence: Evidence) -> None:
    """Pass texts that break what is careless with text."""
    end = time.monotonic() + _LONGEST_S
    base = evidence.base
    for param in binding.params:
        name = param.name.removeprefix("...")
        for text in HOSTILE.values():
            given = {**base, name: text}
            if not fits(binding, given) or time.monotonic() > end:
                continue
            evidence.passed("strings")
            outcome = await visit.invoke(binding.name, given)
            if MARK in text and not outcome.stuck:
                outcome = await _with_late_noise(visit, outcome)
            evidence.keep(
                replace(fault, proof="strings") if fault.proof == "arguments" else fault
                for fault in evidence.judged("strings", outcome)
            )


async def _with_late_noise(visit: Visit, outcome: Outcome) -> Outcome:
    """Return an outcome with what is heard once its markup, if it became that, has loaded."""
    await visit.scene.settle()
    return replace(outcome, noise=(*outcome.noise, *await visit.scene.noise()))


async def _wrong(visit: Visit, binding: Binding, evidence: Evidence) -> None:
    """Pass what is not declared, past the checks of the registry."""
    for given in islice(wrong_arguments(binding, evidence.base), _MOST_WRONG):
        evidence.passed("types")
        outcome = await visit.force(binding, given)
        evidence.keep(
            fault if fault.proof == "errors" else replace(fault, proof="types")
            for fault in evidence.judged("types", outcome, declared=False)
        )
