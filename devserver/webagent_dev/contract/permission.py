"""Permission to call tools in a contract test, and how to get it for the others."""

from __future__ import annotations

from dataclasses import dataclass

from webagent.registry import Binding, ToolSource


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tool is not called."""

    reason: str
    allow: str
    """The one line that would allow it."""


@dataclass(frozen=True, slots=True)
class Permission:
    """The calls that the person who tests a site has allowed."""

    unknown: bool = False
    """Tools that do not say what they do may run, as their own sample code calls them."""
    writes: bool = False
    """Tools that write may run, as their own sample code calls them."""
    named: frozenset[str] = frozenset()
    """Tools that were named one by one: of those also what cannot be taken back may run."""

    def refusal(self, binding: Binding) -> Refusal | None:
        """Return why a tool may not be called, None if it may."""
        effect = binding.tool.behavior.effect
        name = binding.name
        if binding.attended:
            return Refusal(
                "a person has to submit its form", "`toolautosubmit` in the tag of its `<form>`"
            )
        if effect == "unknown" and not self.unknown:
            declare = (
                "`- effect: read` under `### Behavior`"
                if binding.source is ToolSource.MANIFEST
                else "`annotations: { readOnlyHint: true }` where it is registered"
            )
            return Refusal(
                "it does not say what it does to the world",
                f"{declare} if it changes nothing, or `--allow-unknown`",
            )
        if effect == "write" and not self.writes:
            return Refusal("it writes", "`--allow-writes`")
        if effect == "irreversible" and not (self.writes and name in self.named):
            return Refusal("what it does cannot be taken back", f"`--allow-writes --only {name}`")
        return None

    def may_generate(self, binding: Binding) -> bool:
        """Whether it may be called with arguments that nobody wrote: it only reads."""
        return binding.tool.behavior.effect == "read" and not binding.attended
