"""Whether a page has a tool as it is declared: there at all, with these parameters, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from webagent.checks import Report
from webagent.registry import Binding
from webagent.registry.drift import Drift
from webagent_dev.contract.evidence import Evidence
from webagent_dev.contract.session import Visit
from webagent_dev.testing.contract.faults import Fault
from webagent_dev.testing.contract.places import Places


class Presence:
    """Compares what a page offers with its manifest, before anything is called."""

    def __init__(self, report: Report, places: Places) -> None:
        """Compare with the manifest of a report."""
        self._drift = Drift(report)
        self._declared = report.manifest.tool_names
        self._places = places

    async def prove(
        self, visit: Visit, name: str, evidence: Evidence, *, late_s: float
    ) -> Binding | None:
        """Settle `exists`, `arity` and `names` of a tool; return it if it can be called.

        Args:
            visit: The page.
            name: The tool.
            evidence: Where it is noted.
            late_s: How long the tool may take to be there.
        """
        await visit.until_there(name, late_s=late_s)
        binding = visit.found(name)
        if binding is None or binding.problem is not None:
            evidence.keep([await self._missing(visit, name, binding)])
            return None
        evidence.passed("exists")
        if binding.target.kind != "function":
            return binding
        evidence.passed("arity")
        for finding in self._drift.findings(visit.registry.offers):
            if finding.rule == "wrong-arity" and finding.tool == name:
                place = self._places.heading(name)
                message = f"{finding.message} - what is not passed is `undefined` - {finding.help}"
                evidence.keep([Fault("arity", message, "", place, binding.signature())])
        await self._order(visit, binding, evidence)
        return binding

    async def _missing(self, visit: Visit, name: str, binding: Binding | None) -> Fault:
        offers = visit.registry.offers
        own = await visit.scene.own_functions()
        free = [one for one in own if one not in self._declared]
        near = get_close_matches(name, free, 1, 0.5)
        remedy = (
            f"define `global.{name} = …` in the page's script, or say under `### Behavior` on which "
            "pages it is: `- paths: /shop`"
        )
        if near:
            remedy = (
                f"write `{near[0]}` in the manifest, for that is what the page has, or `{name}` in "
                "the page's script"
            )
        elif binding is None:
            remedy = "register it in the page, or take it out of the manifest"
        problem = binding.problem if binding and binding.problem else f"the page has no `{name}`"
        where = f"the page at `{offers.path}`"
        return Fault(
            "exists",
            f"{problem.replace('the page', where, 1)} - the manifest promises it to agents - {remedy}",
            "",
            self._places.heading(name),
        )

    async def _order(self, visit: Visit, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        written = (await visit.scene.parameter_names([name])).get(name)
        if written is None:
            return
        declared = [param.name for param in binding.params]
        evidence.passed("names")
        swapped = _swapped(declared, written)
        if swapped is None:
            return
        index, other = swapped
        evidence.keep(
            [
                Fault(
                    "names",
                    f"the manifest has `{declared[index]}` as argument {index + 1} of `{name}`, the "
                    f"function has `{other}` there - arguments go by position, so that each gets the "
                    f"other's - bring `### Params` into the order of the function: "
                    f"{', '.join(f'`{one}`' for one in written)}",
                    "",
                    self._places.param(name, index),
                    binding.signature(),
                )
            ]
        )


def _swapped(declared: Sequence[str], written: Sequence[str]) -> tuple[int, str] | None:
    """Return the first position at which a function takes what is declared at another one."""
    for index, (one, other) in enumerate(zip(declared, written, strict=False)):
        if one != other and other in declared and one in written:
            return index, other
    return None
