"""A case: one thing that the format's own SDK gets wrong, and the check that says so.

A check is a function of a `Trial`. It uses only names that the SDK exports too, so that it runs
under both packages; it returns if the package at hand does right, and raises if it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.compat.web import Web


@dataclass(slots=True)
class Trial:
    """The input of a check, and its output that is judged later."""

    web: Web
    code: list[str] = field(default_factory=list)
    """TypeScript that has to compile; all cases share one run of the compiler."""

    def compiles(self, *programs: str) -> None:
        """Demand that each program is valid TypeScript."""
        self.code.extend(programs)


Check = Callable[[Trial], None]


@dataclass(frozen=True, slots=True)
class Case:
    """One row of `docs/reference/compatibility.md`."""

    id: str
    """Theme and number, e.g. `params-3`; never given to another case."""
    title: str
    """The demand of the check, in one line."""
    sdk: str
    """The behaviour of the SDK."""
    ours: str
    """The behaviour of this package."""
    check: Check
    decision: str = ""
    """Why we decided otherwise than one might expect; such a case may hold for the SDK too."""

    @property
    def place(self) -> tuple[str, int]:
        """File below `tests/compat/` and line of the check."""
        code = self.check.__code__
        return f"{self.check.__module__.rpartition('.')[2]}.py", code.co_firstlineno


class Cases:
    """The cases of a theme, in order; an instance is the decorator that adds one."""

    def __init__(self, theme: str) -> None:
        self.theme = theme
        self.found: list[Case] = []

    def __call__(self, *, sdk: str, ours: str, decision: str = "") -> Callable[[Check], Check]:
        """Add a case; the first line of the docstring is its title."""

        def add(check: Check) -> Check:
            title = (check.__doc__ or "").strip().split("\n")[0]
            number = len(self.found) + 1
            self.found.append(Case(f"{self.theme}-{number}", title, sdk, ours, check, decision))
            return check

        return add


def equal(found: object, wanted: object) -> None:
    """Demand that two values are equal, and show both if not."""
    if found != wanted:
        raise AssertionError(f"found  {found!r}\nwanted {wanted!r}")


def holds(fact: object, found: object = "") -> None:
    """Demand that something is true, and show what there is instead."""
    if not fact:
        raise AssertionError(f"found {found!r}")
