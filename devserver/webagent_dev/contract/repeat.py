"""Repeated calls: do they give the same answer, and do other tools read the same after them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from webagent.errors import RateLimited
from webagent.registry import Binding
from webagent.schema.validate_schema import join
from webagent_dev.contract.evidence import Evidence, Fault
from webagent_dev.contract.javascript import js_value
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.places import Places
from webagent_dev.contract.session import Outcome, PageSession

_MOST_OBSERVERS = 5

_MOST_REPEATED = 2

_DEEPEST = 10
"""Levels of a result that are searched for values."""


async def prove_repeat(
    session: PageSession, evidence: Evidence, answered: Sequence[Outcome]
) -> None:
    """Make answered calls of a reading tool again; differences are notes, as they may be intended."""
    for outcome in answered[:_MOST_REPEATED]:
        again = await session.invoke(evidence.tool, outcome.named)
        evidence.take("repeat", again)
        evidence.passed("repeat")
        if again.result.ok and (found := difference(outcome.result.value, again.result.value)):
            evidence.remark("repeat", f"`{outcome.call}` gave two answers: {found}")


async def prove_idempotent(
    session: PageSession, evidence: Evidence, outcome: Outcome, observer: Observer, places: Places
) -> None:
    """Make an answered call of an idempotent tool again: it succeeds, and changes nothing more."""
    name = evidence.tool
    # The sample code may have changed more after that call.
    first = await session.invoke(name, outcome.named)
    evidence.take("idempotent", first)
    evidence.passed("idempotent")
    before, again = await observer.state(), first
    if first.result.ok:
        again = await session.invoke(name, outcome.named)
        evidence.take("idempotent", again)
    if isinstance(again.result.error, RateLimited):
        message = f"`{name}` was not called again: {again.result.error.message}"
        evidence.skipped("idempotent", message, places.behavior(name, "rate"))
        return
    place = places.behavior(name, "idempotent")
    remedy = "let the second call find that all is done, or take `- idempotent` out"
    if again.result.error is not None:
        why = f"the second call fails: {again.result.error.message}"
    elif found := difference(first.result.value, again.result.value):
        why = f"the second call gives something else: {found}"
    elif seen := changed(before, await observer.state()):
        why = f"`{seen[0]}` gives something else after the second call: {seen[1]}"
    else:
        return
    message = f"`{name}` is not idempotent: {why} - agents repeat such calls when unsure - {remedy}"
    evidence.keep([Fault("idempotent", message, outcome.call, place)])


def effect_fault(binding: Binding, before: State, after: State, places: Places) -> Fault | None:
    """Return the fault of a tool that declares that it only reads, and changes what others read."""
    found = changed(before, after)
    if found is None:
        return None
    name, what = found
    return Fault(
        "effect",
        f"`{binding.name}` says that it only reads, and `{name}` gives something else after it: {what} - "
        "agents call it without asking anybody - declare `- effect: write`, or leave things as they are",
        f"await global.{name}()",
        places.behavior(binding.name, "effect"),
    )


State = Mapping[str, Any]
"""Encoded results of the reading tools that need no arguments, by name."""


class Observer:
    """Notices changes that a call makes, by calling reading tools before and after it."""

    def __init__(self, session: PageSession, tool: str, permission: Permission) -> None:
        """Observe the calls of a tool with the other tools of the page."""
        self._session = session
        self._names = [
            binding.name
            for binding in session.registry.list()
            if binding.name != tool and _is_observable(binding, permission)
        ][:_MOST_OBSERVERS]

    async def state(self) -> State:
        """Return the state now, without tools that fail or whose results vary.

        A tool may write though it declares that it only reads. Its results then vary between two
        rounds, whatever the observed tool does.
        """
        first, second = await self._round(), await self._round()
        found: dict[str, Any] = {}
        for name in [*self._names]:
            one, other = first[name], second[name]
            is_same = difference(one.result.value, other.result.value) is None
            if one.result.ok and other.result.ok and is_same and not one.led_to:
                found[name] = one.result.value
            else:
                self._names.remove(name)
        return found

    async def _round(self) -> Mapping[str, Outcome]:
        return {name: await self._session.invoke(name, {}) for name in self._names}


def values_in(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the texts and numbers in a result with their names, such as the ids of a list."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from values_in(item, depth + 1)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(part, str | int | float) and not isinstance(part, bool):
                yield name, part
            yield from values_in(part, depth + 1)


def _is_observable(binding: Binding, permission: Permission) -> bool:
    behavior = binding.tool.behavior
    return (
        permission.may_generate(binding)
        and binding.problem is None
        and not behavior.requires_login
        and not behavior.rate
        and not any(param.required for param in binding.params)
    )


def changed(before: State, after: State) -> tuple[str, str] | None:
    """Return the first tool that sees a change, and the change in words; None if there is none."""
    for name, value in before.items():
        if name in after and (found := difference(value, after[name])):
            return name, str(found)
    return None


class Difference(NamedTuple):
    """A place in which two values differ."""

    path: str
    """Where: `items[2].price`; empty for the whole value."""
    one: str
    other: str

    def __str__(self) -> str:
        text = f"{self.one} and then {self.other}"
        return f"`{self.path}` is {text}" if self.path else text


def difference(one: Any, other: Any, path: str = "") -> Difference | None:
    """Return where two encoded values differ first, None if they are the same."""
    if type(one) is type(other) and isinstance(one, Mapping):
        for key in dict.fromkeys([*one, *other]):
            if key not in one or key not in other:
                values = [
                    js_value(value[key]) if key in value else "missing" for value in (one, other)
                ]
                return Difference(join(path, key), *values)
            if found := difference(one[key], other[key], join(path, key)):
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        for index, pair in enumerate(zip(one, other, strict=False)):
            if found := difference(*pair, f"{path}[{index}]"):
                return found
        if len(one) == len(other):
            return None
        return Difference(path, f"a list of {len(one)}", f"one of {len(other)}")
    same = one == other and isinstance(one, bool) == isinstance(other, bool)
    return None if same else Difference(path, js_value(one)[:80], js_value(other)[:80])
