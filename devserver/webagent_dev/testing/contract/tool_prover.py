"""The proofs of one tool, from looking for it to calling it with texts that nobody would write."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from webagent.checks import Report as Checked
from webagent.checks.pieces import read_pieces
from webagent.codegen import generate_typescript
from webagent.errors import NotLoggedIn, RateLimited, ToolThrew
from webagent.parser import Reading
from webagent.registry import Binding
from webagent.registry.limits import read_rate
from webagent.types import Manifest, Tool
from webagent_dev.commands.documents import Misuse
from webagent_dev.testing.contract.evidence import Evidence
from webagent_dev.testing.contract.exploring import (
    MOST_CALLS,
    Enough,
    Nothing,
    explore,
    seed_of,
)
from webagent_dev.testing.contract.faults import Fault, Judge
from webagent_dev.testing.contract.generating.arguments import arguments, fits, wrong_arguments
from webagent_dev.testing.contract.hostile import HOSTILE, MARK
from webagent_dev.testing.contract.observed import observed_type
from webagent_dev.testing.contract.permission import Permission
from webagent_dev.testing.contract.places import Places
from webagent_dev.testing.contract.presence import Presence
from webagent_dev.testing.contract.repeating import (
    Observer,
    meddling,
    prove_idempotent,
    prove_repeat,
)
from webagent_dev.testing.contract.report import ToolReport, Verdict
from webagent_dev.testing.contract.sampling import Sampled, run_sample, why_failed
from webagent_dev.testing.contract.stage import Stage
from webagent_dev.testing.contract.visit import Outcome, Visit

_LONGEST_S = 20.0
"""How long hostile texts are tried on one tool."""
_MOST_WRONG = 12
"""Calls with arguments of wrong types."""


class ToolProver:
    """Proves tools one by one, each in a fresh page."""

    def __init__(
        self,
        stage: Stage,
        checked: Checked,
        reading: Reading,
        *,
        permission: Permission,
        seed: int,
        timeout_s: float,
    ) -> None:
        """Prove the tools of a manifest, and those that pages offer beside it.

        Args:
            stage: Opens the pages.
            checked: The manifest, and what the checks say of it.
            reading: The same manifest, with its places.
            permission: What may be called.
            seed: Where generated arguments come from.
            timeout_s: How long a call may take whose tool does not say so itself.
        """
        self._stage = stage
        self._reading = reading
        self._permission = permission
        self._seed = seed
        self._timeout_s = timeout_s
        self._places = Places(reading)
        self._presence = Presence(checked, self._places)

    def visit(self) -> Visit:
        """Return a visit to the site; no page is open in it yet."""
        return Visit(self._stage, self._reading.manifest, timeout_s=self._timeout_s)

    @property
    def judge(self) -> Judge:
        """What holds outcomes against the manifest."""
        return Judge(self._places)

    async def prove(self, name: str, *, late_s: float) -> ToolReport:
        """Return the proofs of a tool.

        Args:
            name: Its name.
            late_s: How long it may take to be there, after its page was loaded.

        Raises:
            Misuse: What puts the site back failed.
        """
        started = time.perf_counter()
        tool = self._reading.manifest.get_tool(name)
        path = _page_of(tool)
        visit = self.visit()
        evidence = Evidence(name, self.judge, self._places)
        binding, allow = None, ""
        try:
            await visit.open(path)
        except Misuse as misuse:
            message = f"its page cannot be opened: {misuse} - correct `paths` of `{name}`"
            fault = Fault("exists", message, "", self._places.behavior(name, "paths"))
            evidence.keep([fault])
        else:
            binding = await self._presence.prove(visit, name, evidence, late_s=late_s)
        if binding is not None:
            allow = await self._within_leave(visit, binding, path, evidence, late_s)
        known = binding.tool if binding else tool or Tool(name=name)
        observed = observed_type([*evidence.values])
        missing = not known.returns.strip() or "result" in evidence.faults
        return ToolReport(
            name,
            known.behavior.effect,
            binding.source.value if binding else "manifest",
            _declaration(known, self._reading.manifest),
            evidence.proofs(),
            self._places.heading(name),
            allow,
            observed if missing else "",
            (time.perf_counter() - started) * 1000,
        )

    async def _within_leave(
        self, visit: Visit, binding: Binding, path: str, evidence: Evidence, late_s: float
    ) -> str:
        """Call a tool if that is allowed; return what would allow it if it is not."""
        name = binding.name
        refusal = self._permission.refusal(binding)
        if refusal is not None:
            message = f"`{name}` was not called: {refusal.reason} - write {refusal.allow}"
            evidence.skipped("sample", message, self._places.behavior(name, "effect"))
            return refusal.allow
        reads = self._permission.may_generate(binding)
        if not reads:
            await self._stage.reset()
            await visit.open(path)
            await visit.until_there(name, late_s=late_s)
        await visit.scene.watch([name])
        observer = Observer(visit, name, self._permission)
        await self._sample(visit, binding, evidence)
        if evidence.is_signed_out():
            self._needs_login(binding, evidence)
            return ""
        if reads and evidence.in_time:
            # Sample code may call others that write, so what it has changed does not count.
            before = await observer.state()
            await self._generated(visit, binding, evidence)
            if evidence.is_signed_out():
                self._needs_login(binding, evidence)
                return ""
            await prove_repeat(visit, evidence, evidence.answered)
            evidence.passed("effect")
            fault = meddling(binding, before, await observer.state(), self._places)
            evidence.keep([fault] if fault else [])
        if not evidence.in_time:
            for later in ("arguments", "strings", "types") if reads else ():
                evidence.skipped(
                    later, f"not tried to the end, since calls of `{name}` take too long"
                )
        if binding.tool.behavior.idempotent and evidence.answered:
            last = evidence.answered[-1]
            await prove_idempotent(visit, evidence, last, observer, self._places)
        self._conclude(binding, evidence)
        tried = reads or evidence.answered or evidence.faults
        return "" if tried else f"`### Sample Code` with {_sample_line(binding)}"

    async def _sample(self, visit: Visit, binding: Binding, evidence: Evidence) -> None:
        """Run each piece of the sample code."""
        name = binding.name
        place = self._places.sample(name)
        pieces = self._pieces(name)
        if not pieces:
            evidence.skipped(
                "sample",
                f"`{name}` has no sample code - agents write theirs after it, and it is tried first - "
                f"write `### Sample Code` with {_sample_line(binding)}",
                place,
            )
            return
        evidence.passed("sample")
        own: list[Outcome] = []
        for code in pieces:
            sampled = await run_sample(code, visit, self._permission)
            calls = [one for one in sampled.outcomes if one.binding.name == name]
            own += calls
            for outcome in calls:
                evidence.take("sample", outcome)
            if evidence.signed_out is None and sampled.signed_out and not calls:
                evidence.signed_out = sampled.outcomes[-1] if sampled.outcomes else None
            self._judge_sample(sampled, calls, binding, evidence)
        settled = "sample" in evidence.faults or evidence.signed_out is not None
        if not own and not settled and not evidence.held_back:
            message = (
                f"the sample code of `{name}` runs and never calls it - agents do not see how it is "
                f"called - write {_sample_line(binding)}"
            )
            evidence.keep([Fault("sample", message, "", place)])

    def _judge_sample(
        self, sampled: Sampled, calls: Sequence[Outcome], binding: Binding, evidence: Evidence
    ) -> None:
        name, error = binding.name, sampled.error
        if sampled.refused is not None:
            other, refusal = sampled.refused
            evidence.held_back = True
            evidence.skipped(
                "sample",
                f"the sample code of `{name}` calls `{other}`, which was held back: {refusal.reason} - "
                f"write {refusal.allow} for `{other}`",
                self._places.sample(name),
            )
        elif error is not None and evidence.signed_out is None:
            what, remedy = why_failed(error, name, calls)
            last = calls[-1].call if calls else ""
            fault = Fault("sample", f"{what} - {remedy}", last, self._places.sample(name))
            # A fault of the call itself says more than that its program failed.
            if not evidence.faults:
                evidence.keep([fault])

    async def _generated(self, visit: Visit, binding: Binding, evidence: Evidence) -> None:
        """Call a reading tool with arguments that nobody wrote."""
        name = binding.name
        if not binding.params:
            if not evidence.answered:
                evidence.take("arguments", await visit.invoke(name, {}))
                evidence.passed("arguments")
            return
        told = {"answered": 0, "refused": 0}
        why = ""

        async def attempt(given: Any) -> list[Fault]:
            nonlocal why
            outcome = await visit.invoke(name, given)
            error = outcome.result.error
            if isinstance(error, RateLimited | NotLoggedIn):
                evidence.judged("arguments", outcome)
                raise Enough
            evidence.tried = given
            told["answered" if error is None else "refused"] += 1
            if isinstance(error, ToolThrew):
                why = why or " ".join(error.message.split())[:200]
            return evidence.judged("arguments", outcome)

        rate = read_rate(binding.tool.behavior.rate)
        most = min(MOST_CALLS, rate[0] // 2) if rate else MOST_CALLS
        evidence.passed("arguments")
        if most:
            try:
                found = await explore(
                    arguments(binding, evidence.seen),
                    attempt,
                    seed=seed_of(self._seed, name),
                    most=most,
                )
                evidence.keep(found)
            except Nothing:
                evidence.skipped(
                    "arguments",
                    f"no arguments fit what `{name}` declares - a type or a schema allows nothing - "
                    "correct `### Params` or `### Input Schema`",
                    self._places.param(name, 0),
                )
                return
        if told["refused"]:
            evidence.remark(
                "arguments",
                f"{told['refused']} of {sum(told.values())} generated calls were refused"
                + (f", such as with “{why}”" if why else ""),
            )
        if not rate and evidence.in_time:
            await self._strings(visit, binding, evidence)
        if not rate and evidence.in_time:
            await self._wrong_types(visit, binding, evidence)

    async def _strings(self, visit: Visit, binding: Binding, evidence: Evidence) -> None:
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
                    await visit.scene.settle()
                    late = await visit.scene.noise()
                    outcome = replace(outcome, noise=(*outcome.noise, *late))
                evidence.keep(
                    replace(fault, proof="strings") if fault.proof == "arguments" else fault
                    for fault in evidence.judged("strings", outcome)
                )

    async def _wrong_types(self, visit: Visit, binding: Binding, evidence: Evidence) -> None:
        """Pass what is not declared, past the checks of the registry."""
        for _, given in zip(
            range(_MOST_WRONG), wrong_arguments(binding, evidence.base), strict=False
        ):
            evidence.passed("types")
            outcome = await visit.force(binding, given)
            evidence.keep(
                fault if fault.proof == "errors" else replace(fault, proof="types")
                for fault in evidence.judged("types", outcome, declared=False)
            )

    def _needs_login(self, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        declared = binding.tool.behavior.requires_login
        said = "" if declared else " - say so under `### Behavior`: `- requires login`"
        message = (
            f"`{name}` is for visitors who are signed in, and nobody is - it refused as it should"
            f"{said} - `--allow-writes` also tries it behind the sample code of the tool that signs in"
        )
        place = self._places.behavior(name, "requires")
        evidence.settle("sample", Verdict.NEEDS_LOGIN, message, place)

    def _conclude(self, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        if binding.tool.behavior.requires_login and evidence.answered:
            evidence.remark(
                "sample",
                f"`{name}` answered though nobody is signed in, and it declares `requires login`",
            )
        if not evidence.values:
            evidence.skipped("result", f"no call of `{name}` was answered, so no result was seen")
        elif not binding.tool.returns.strip() and binding.tool.output_schema is None:
            evidence.skipped(
                "result",
                f"`{name}` does not declare what it gives - programs cannot know what to read - "
                f"write `### Output` with `{observed_type(evidence.values)}`",
                self._places.heading(name),
            )

    def _pieces(self, name: str) -> list[str]:
        for tool, place in zip(self._reading.manifest.tools, self._reading.tools, strict=True):
            if tool.name == name:
                return [piece.text for piece in read_pieces(self._reading, tool, place)]
        return []


def _page_of(tool: Tool | None) -> str:
    """Return the path of a page that a tool is for; empty for the first page."""
    paths = tool.behavior.paths if tool else []
    plain = [path for path in paths if "*" not in path]
    if plain or not paths or any(path in ("*", "/*") for path in paths):
        return plain[0] if plain else ""
    return paths[0].partition("*")[0]


def _sample_line(binding: Binding) -> str:
    return f"`await global.{binding.signature().replace('?', '')}`"


def _declaration(tool: Tool, manifest: Manifest) -> str:
    """Return how a tool is declared, without the frame around all of them."""
    text = generate_typescript(manifest.model_copy(update={"tools": [tool]}))
    lines = text.split("declare const global: {\n")[-1].rstrip().removesuffix("};").rstrip()
    return "\n".join(line.removeprefix("  ") for line in lines.split("\n"))
