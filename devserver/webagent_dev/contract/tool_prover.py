"""The proofs of one tool: is it there, does its sample code run, what do generated calls show?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from webagent.checks import Report as Checked
from webagent.checks.sample_code.pieces import read_pieces
from webagent.codegen import generate_typescript
from webagent.errors import ToolError
from webagent.parser import Reading
from webagent.registry import Binding
from webagent.registry.drift import Drift
from webagent.schema.mismatch import decode
from webagent.tstypes import print_type
from webagent.tstypes.nodes import (
    ArrayType,
    Combined,
    Index,
    Member,
    Name,
    Object,
    Type,
    member_name,
)
from webagent.types import Manifest, Tool
from webagent_dev.contract.evidence import Evidence, Fault, Judge
from webagent_dev.contract.harness import Harness
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.proof import Places, ToolReport
from webagent_dev.contract.properties import prove_generated, seed_of
from webagent_dev.contract.repeat import Observer, effect_fault, prove_idempotent, prove_repeat
from webagent_dev.contract.samples import prove_sample, sample_line
from webagent_dev.contract.session import PageSession, SessionMemory
from webagent_dev.errors import UsageError
from webagent_dev.reports.content import Verdict


class ToolProver:
    """Proves tools one by one, each in a fresh page."""

    def __init__(
        self,
        harness: Harness,
        checked: Checked,
        reading: Reading,
        *,
        permission: Permission,
        seed: int,
        timeout_s: float,
        late_s: float,
    ) -> None:
        """Prove the tools of a manifest, and others that pages offer.

        Args:
            harness: Opens the pages.
            checked: The manifest, and what the checks say of it.
            reading: The same manifest, with its places.
            permission: What may be called.
            seed: Where generated arguments come from.
            timeout_s: How long a call may take whose tool does not say so itself.
            late_s: How long tools are waited for that a page had when it was open before.
        """
        self._harness = harness
        self._reading = reading
        self._permission = permission
        self._seed = seed
        self._timeout_s = timeout_s
        self._late_s = late_s
        self.memory = SessionMemory()
        """Shared by its sessions."""
        self._places = Places(reading)
        self._presence = Presence(checked, self._places)

    def session(self) -> PageSession:
        """Return a session to the site; no page is open in it yet."""
        return PageSession(
            self._harness,
            self._reading.manifest,
            timeout_s=self._timeout_s,
            late_s=self._late_s,
            memory=self.memory,
        )

    @property
    def judge(self) -> Judge:
        """Finds the faults of outcomes."""
        return Judge(self._places)

    async def prove(self, name: str, *, late_s: float) -> ToolReport:
        """Return the proofs of a tool.

        Args:
            name: Its name.
            late_s: How long it may take to be there, after its page was loaded.

        Raises:
            UsageError: What puts the site back failed.
        """
        started = time.perf_counter()
        tool = self._reading.manifest.get_tool(name)
        path = _page_of(tool)
        session = self.session()
        evidence = Evidence(name, self.judge, self._places)
        binding, allow = None, ""
        try:
            await session.open(path)
        except UsageError as misuse:
            message = f"its page cannot be opened: {misuse} - correct `paths` of `{name}`"
            fault = Fault("exists", message, "", self._places.behavior(name, "paths"))
            evidence.keep([fault])
        else:
            try:
                binding = await self._presence.prove(session, name, evidence, late_s=late_s)
                if binding is not None:
                    allow = await self._prove_allowed(session, binding, evidence)
            except ToolError as error:
                evidence.keep([self._lost(name, error)])
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

    async def _prove_allowed(
        self, session: PageSession, binding: Binding, evidence: Evidence
    ) -> str:
        """Call a tool if that is allowed; return what would allow it otherwise."""
        name = binding.name
        refusal = self._permission.refusal(binding)
        if refusal is not None:
            message = f"`{name}` was not called: {refusal.reason} - write {refusal.allow}"
            evidence.skipped("sample", message, self._places.behavior(name, "effect"))
            return refusal.allow
        reads = self._permission.may_generate(binding)
        if not reads:
            await self._harness.reset()
            await session.reopen()
        await session.watch([name])
        observer = Observer(session, name, self._permission)
        before = await observer.state() if reads else {}
        if await prove_sample(
            session, binding, evidence, self._pieces(name), self._permission, self._places
        ):
            before = await observer.state() if reads else {}
        if evidence.is_signed_out():
            self._needs_login(binding, evidence)
            return ""
        if reads and evidence.in_time:
            seed = seed_of(self._seed, name)
            await prove_generated(session, binding, evidence, self._places, seed=seed)
            if evidence.is_signed_out():
                self._needs_login(binding, evidence)
                return ""
            await prove_repeat(session, evidence, evidence.answered)
            evidence.passed("effect")
            fault = effect_fault(binding, before, await observer.state(), self._places)
            evidence.keep([fault] if fault else [])
        if not evidence.in_time:
            for later in ("arguments", "strings", "types") if reads else ():
                evidence.skipped(
                    later, f"not tried to the end, since calls of `{name}` take too long"
                )
        if binding.tool.behavior.idempotent and evidence.answered:
            last = evidence.answered[-1]
            await prove_idempotent(session, evidence, last, observer, self._places)
        if evidence.unexplained:
            for proof in ("arguments", "errors") if reads else ("errors",):
                evidence.skipped(
                    proof, f"not judged, since `{name}` failed and the browser does not say why"
                )
        self._conclude(binding, evidence)
        tried = reads or evidence.answered or evidence.faults
        return "" if tried else f"`### Sample Code` with {sample_line(binding)}"

    def _lost(self, name: str, error: ToolError) -> Fault:
        return Fault(
            "exists",
            f"`{name}` could not be proven to the end: {error.message} - agents lose it likewise - "
            "see in a browser where its page goes, and let it stay",
            "",
            self._places.heading(name),
        )

    def _needs_login(self, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        declared = binding.tool.behavior.requires_login
        said = "" if declared else " - say so under `### Behavior`: `- requires login`"
        message = (
            f"`{name}` is for visitors who are signed in, and refused one who is not - in a fresh page "
            f"nobody is signed in{said} - `--allow-writes` also tries it behind the sample code of the tool that signs in"
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


def _declaration(tool: Tool, manifest: Manifest) -> str:
    """Return how a tool is declared, without the frame around all of them."""
    text = generate_typescript(manifest.model_copy(update={"tools": [tool]}))
    lines = text.split("declare const global: {\n")[-1].rstrip().removesuffix("};").rstrip()
    return "\n".join(line.removeprefix("  ") for line in lines.split("\n"))


class Presence:
    """Compares what a page offers with its manifest, before anything is called."""

    def __init__(self, report: Checked, places: Places) -> None:
        """Compare with the manifest of a report."""
        self._drift = Drift(report.manifest, report.tools)
        self._declared = report.manifest.tool_names
        self._places = places

    async def prove(
        self, session: PageSession, name: str, evidence: Evidence, *, late_s: float
    ) -> Binding | None:
        """Settle `exists`, `arity` and `names` of a tool; return it if it can be called.

        Args:
            session: The page.
            name: The tool.
            evidence: Where it is noted.
            late_s: How long the tool may take to be there.
        """
        await session.until_there(name, late_s=late_s)
        binding = session.found(name)
        if binding is None or binding.problem is not None:
            evidence.keep([await self._missing(session, name, binding)])
            return None
        evidence.passed("exists")
        if binding.target.kind != "function":
            return binding
        evidence.passed("arity")
        for finding in self._drift.findings(session.registry.offers):
            if finding.rule == "wrong-arity" and finding.tool == name:
                place = self._places.heading(name)
                message = f"{finding.message} - what is not passed is `undefined` - {finding.help}"
                evidence.keep([Fault("arity", message, "", place, binding.signature())])
        await self._order(session, binding, evidence)
        return binding

    async def _missing(self, session: PageSession, name: str, binding: Binding | None) -> Fault:
        offers = session.registry.offers
        own = await session.open_page.own_functions()
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

    async def _order(self, session: PageSession, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        written = (await session.open_page.parameter_names([name])).get(name)
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


_DEEPEST = 12

_MOST_MEMBERS = 40
"""Keys beyond which an object is taken for a table of things by name."""

_NAMES = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "undefined": "undefined",
    "bigint": "bigint",
    "date": "Date",
}


def observed_type(values: Sequence[Any]) -> str:
    """Return one type that all these encoded values fit; empty without values."""
    return print_type(_type(values, 0)) if values else ""


def _type(values: Sequence[Any], depth: int) -> Type:
    found: dict[str, list[Any]] = {}
    for value in values:
        kind, inner = decode(value)
        found.setdefault(kind, []).append(inner)
    types = [_of_kind(kind, inner, depth) for kind, inner in found.items()]
    if len(types) == 1:
        return types[0]
    if not types or Name("unknown") in types:
        return Name("unknown")
    return Combined("|", tuple(types))


def _of_kind(kind: str, values: Sequence[Any], depth: int) -> Type:
    if depth > _DEEPEST:
        return Name("unknown")
    if kind == "array":
        return ArrayType(_type([item for value in values for item in value], depth + 1))
    if kind == "object":
        return _object(values, depth)
    return Name(_NAMES.get(kind, "unknown"))


def _object(values: Sequence[Mapping[str, Any]], depth: int) -> Type:
    keys = list(dict.fromkeys(key for value in values for key in value))
    if len(keys) > _MOST_MEMBERS:
        inner = _type([item for value in values for item in value.values()], depth + 1)
        return Object((Index("name", Name("string"), inner),))
    members = (
        Member(
            member_name(key),
            _type([value[key] for value in values if key in value], depth + 1),
            optional=any(key not in value for value in values),
        )
        for key in keys
    )
    return Object(tuple(members))
