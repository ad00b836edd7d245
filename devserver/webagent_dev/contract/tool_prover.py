"""The proofs of one tool: is it there, does its sample code run, what do generated calls show?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from webagent.checks import Report as Checked
from webagent.checks.sample_code.pieces import Piece, read_pieces
from webagent.codegen import generate_typescript
from webagent.codegen.scope import NO_TYPES
from webagent.errors import ToolError
from webagent.parser import Reading
from webagent.registry import Binding, ToolSource
from webagent.registry.drift import Drift
from webagent.schema.inference import inferred_type, observed_type
from webagent.types import Manifest, Tool
from webagent_dev.contract.evidence import Evidence, Fault, Judge
from webagent_dev.contract.form_fields import prove_form
from webagent_dev.contract.harness import Harness, UntaggedForm
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.places import Places
from webagent_dev.contract.proof import ToolReport
from webagent_dev.contract.properties import prove_generated, seed_of
from webagent_dev.contract.repeat import (
    Observer,
    effect_fault,
    prove_idempotent,
    prove_repeat,
    values_in,
)
from webagent_dev.contract.samples import prove_sample, sample_line
from webagent_dev.contract.session import PageSession, SessionMemory
from webagent_dev.contract.sign_in import Login
from webagent_dev.contract.site_pages import SitePages
from webagent_dev.reports.content import Verdict
from webagent_site.errors import UsageError

_CLOSED_S = 2.0
"""How long a tool may take to be there that is for others than this visitor."""


@dataclass(slots=True)
class _Attempt:
    """One attempt to prove a tool, as a visitor who is signed in or not."""

    evidence: Evidence
    binding: Binding | None = None
    allow: str = ""
    """What to write so that it is called; empty where it was."""
    needs_login: bool = False
    """Whether a visitor who is signed in may see more of it."""


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
        login: Login | None = None,
        paths: Mapping[str, str] | None = None,
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
            login: How visitors are signed in; None if they cannot be.
            paths: The path of a page, by a pattern of the manifest that it is an example of.
        """
        self._login = login
        self.found_at: dict[str, str] = {}
        """The path of the page that each tool was found on."""
        self._pages = SitePages(self.session, paths or {}, self._wanted)
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
            login=self._login,
        )

    def _wanted(self) -> list[str]:
        """Return the names of the tools that no page was seen to have yet."""
        seen = set[str]().union(*self.memory.there.values())
        return [name for name in self._reading.manifest.tool_names if name not in seen]

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
        requires_login = tool is not None and tool.behavior.requires_login
        signed_in = self._login is not None and requires_login
        attempt = await self._attempt(name, tool, late_s, signed_in=signed_in)
        if self._login is not None and not signed_in and attempt.needs_login:
            attempt = await self._attempt(name, tool, late_s, signed_in=True)
            if attempt.binding is not None:
                attempt.evidence.remark(
                    "exists",
                    f"`{name}` is for visitors who are signed in - write `- requires login` under "
                    "`### Behavior`",
                )
        binding, evidence = attempt.binding, attempt.evidence
        known = binding.tool if binding else tool or Tool(name=name)
        missing = not known.returns.strip() or "result" in evidence.faults
        types = binding.types if binding else NO_TYPES
        observed = inferred_type(known.returns, evidence.typical, types) if missing else ""
        return ToolReport(
            name,
            known.behavior.effect,
            binding.source.value if binding else "manifest",
            _declaration(known, self._reading.manifest),
            evidence.proofs(),
            self._places.heading(name),
            attempt.allow,
            observed,
            (time.perf_counter() - started) * 1000,
        )

    async def _attempt(
        self, name: str, tool: Tool | None, late_s: float, *, signed_in: bool
    ) -> _Attempt:
        """Look for a tool as one kind of visitor, and prove it where it is."""
        evidence = Evidence(name, self.judge, self._places)
        attempt = _Attempt(evidence)
        session = self.session()
        paths = tool.behavior.paths if tool else []
        path = await self._pages.matching(paths, name, signed_in=signed_in)
        if path is None:
            self._no_page(name, paths, attempt, signed_in=signed_in)
            return attempt
        try:
            await session.open(path, signed_in=signed_in)
        except UsageError as misuse:
            if signed_in:
                raise
            attempt.needs_login = True
            message = f"its page cannot be opened: {misuse} - correct `paths` of `{name}`"
            fault = Fault("exists", message, "", self._places.behavior(name, "paths"))
            evidence.keep([fault])
            return attempt
        try:
            path = await self._search(session, name, path, late_s, signed_in=signed_in)
            attempt.binding = await self._presence.prove(session, name, evidence)
            if attempt.binding is None:
                await self._absent(session, name, attempt)
            else:
                self.found_at[name] = path
                attempt.allow = await self._prove_allowed(session, attempt.binding, evidence)
                attempt.needs_login = evidence.is_signed_out()
        except ToolError as error:
            evidence.keep([self._lost(name, error)])
        if path and not paths and attempt.binding is not None:
            evidence.remark(
                "exists",
                f"`{name}` is not on the first page - write `- paths: {path}` under `### Behavior`, or "
                "a pattern of its pages",
            )
        return attempt

    async def _search(
        self, session: PageSession, name: str, path: str, late_s: float, *, signed_in: bool
    ) -> str:
        """Look for a tool: on its page, in closed parts of it, on other pages; return the path."""
        tool = self._reading.manifest.get_tool(name)
        closed = bool(tool and tool.behavior.requires_login and not signed_in)
        late_s = min(late_s, _CLOSED_S) if closed else late_s
        if not await session.until_there(name, late_s=late_s) or closed:
            return path
        if await self._presence.likely(session, name):
            # It is here under another name.
            return path
        await session.open(path, signed_in=signed_in, in_part=name)
        if await session.until_there(name, late_s=0.0) and not (tool and tool.behavior.paths):
            other = await self._pages.having(name, signed_in=signed_in)
            # The search has closed the page, which is looked at once more where nothing was found.
            await session.open(other or path, signed_in=signed_in)
            if other is not None:
                await session.until_there(name, late_s=late_s)
                return other
        return path

    def _no_page(
        self, name: str, paths: Sequence[str], attempt: _Attempt, *, signed_in: bool
    ) -> None:
        """Settle that no page is known on which a tool is."""
        tool = self._reading.manifest.get_tool(name)
        place = self._places.behavior(name, "paths")
        if tool and tool.behavior.requires_login and not signed_in:
            self._needs_login(name, attempt, declared=True)
            return
        attempt.needs_login = True
        example = paths[0].replace("*", "1")
        attempt.allow = f'`"{paths[0]}" = "{example}"` under `[test.paths]` in webagent.toml'
        message = (
            f"no page was found that `{paths[0]}` means - no link that was followed leads to one - "
            f"write an example into webagent.toml: {attempt.allow}"
        )
        attempt.evidence.skipped("exists", message, place)

    async def _absent(self, session: PageSession, name: str, attempt: _Attempt) -> None:
        """Settle that the page has no tool of a name: it is missing, or for visitors who sign in."""
        tool = self._reading.manifest.get_tool(name)
        if tool and tool.behavior.requires_login and self._login is None:
            self._needs_login(name, attempt, declared=True)
            return
        attempt.needs_login = True
        attempt.evidence.keep([await self._presence.missing(session, name)])

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
            return self._settle_login(name, evidence, binding.tool.behavior.requires_login)
        names = {param.name for param in binding.params}
        for result in before.values():
            for param, value in values_in(result):
                if param in names:
                    evidence.know(param, value)
        if reads and evidence.in_time:
            seed = seed_of(self._seed, name)
            await prove_generated(session, binding, evidence, self._places, seed=seed)
            if evidence.is_signed_out():
                return self._settle_login(name, evidence, binding.tool.behavior.requires_login)
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
        if binding.tool.behavior.requires_login and evidence.answered and not session.signed_in:
            evidence.remark(
                "sample",
                f"`{name}` answered though nobody is signed in, and it declares `requires login`",
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

    def _needs_login(self, name: str, attempt: _Attempt, *, declared: bool) -> None:
        attempt.allow = self._settle_login(name, attempt.evidence, declared)
        attempt.needs_login = True

    def _settle_login(self, name: str, evidence: Evidence, declared: bool) -> str:
        """Settle that a tool is for visitors who are signed in; return how to have it proven."""
        said = "" if declared else " - say so under `### Behavior`: `- requires login`"
        what = "is not there for" if "sample" not in evidence.settled else "refused"
        message = (
            f"`{name}` is for visitors who are signed in, and {what} one who is not - in a fresh page "
            f"nobody is signed in{said} - write `[test] login` into webagent.toml, or `--allow-writes`, "
            "which also tries it behind the sample code of the tool that signs in"
        )
        place = self._places.behavior(name, "requires")
        evidence.settle("sample", Verdict.NEEDS_LOGIN, message, place)
        return "`[test] login` in webagent.toml"

    def _conclude(self, binding: Binding, evidence: Evidence) -> None:
        name = binding.name
        if not evidence.values and evidence.leads_on:
            evidence.passed("result")
        elif not evidence.values:
            evidence.skipped("result", f"no call of `{name}` was answered, so no result was seen")
        elif not binding.tool.returns.strip() and binding.tool.output_schema is None:
            seen = observed_type(evidence.typical)
            evidence.skipped(
                "result",
                f"`{name}` does not declare what it gives - programs cannot know what to read - "
                f"write `### Output`{f' with `{seen}`' if seen else ''}",
                self._places.heading(name),
            )

    def _pieces(self, name: str) -> Sequence[Piece]:
        for tool, place in zip(self._reading.manifest.tools, self._reading.tools, strict=True):
            if tool.name == name:
                return read_pieces(self._reading.source, tool, place)
        return ()


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

    async def prove(self, session: PageSession, name: str, evidence: Evidence) -> Binding | None:
        """Settle `exists`, `arity` and `names` of a tool; return it if it can be called.

        Args:
            session: The page.
            name: The tool.
            evidence: Where it is noted.
        """
        binding = session.found(name)
        if binding is None or binding.problem is not None:
            return None
        evidence.passed("exists")
        if binding.target.kind != "function":
            if binding.target.kind == "form" and binding.source is ToolSource.MANIFEST:
                await prove_form(session, binding, evidence, self._places)
            return binding
        evidence.passed("arity")
        for finding in self._drift.findings(session.registry.offers):
            if finding.rule == "wrong-arity" and finding.tool == name:
                place = self._places.heading(name)
                message = f"{finding.message} - what is not passed is `undefined` - {finding.help}"
                evidence.keep([Fault("arity", message, "", place, binding.signature())])
        await self._order(session, binding, evidence)
        return binding

    async def likely(self, session: PageSession, name: str) -> list[str]:
        """Return the function of the page that a missing tool is probably meant to be, if any."""
        own = await session.open_page.own_functions()
        return get_close_matches(name, [one for one in own if one not in self._declared], 1, 0.5)

    async def missing(self, session: PageSession, name: str) -> Fault:
        """Return the fault of a tool that the page does not have."""
        binding = session.found(name)
        offers = session.registry.offers
        near = await self.likely(session, name)
        form = None if near else _form_of(name, await session.open_page.forms())
        remedy = (
            f"define `globalThis.{name} = …` in the page's script, or say under `### Behavior` where it "
            "is: `- paths: /shop`, `- requires login`"
        )
        if near:
            remedy = (
                f"write `{near[0]}` in the manifest, for that is what the page has, or `{name}` in "
                "the page's script"
            )
        elif form is not None:
            remedy = (
                f'write `toolname="{name}" tooldescription="…"` into `{form.tag[:_LONGEST_TAG]}`, and '
                "`toolautosubmit` if an agent may send it without a person"
            )
        elif binding is None:
            remedy = "register it in the page, or take it out of the manifest"
        problem = binding.problem if binding and binding.problem else f"the page has no `{name}`"
        where = f"the page at `{offers.path}`"
        has_form = ", and its form is not a tool" if form is not None else ""
        return Fault(
            "exists",
            f"{problem.replace('the page', where, 1)}{has_form} - the manifest promises it to agents - "
            f"{remedy}",
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


def _form_of(name: str, forms: Sequence[UntaggedForm]) -> UntaggedForm | None:
    """Return the form that a tool of a name is probably meant to be."""
    names = {one: form for form in reversed(forms) for one in form.names if one}
    near = get_close_matches(name, names, 1, 0.6)
    return names[near[0]] if near else None


_LONGEST_TAG = 300


def _swapped(declared: Sequence[str], written: Sequence[str]) -> tuple[int, str] | None:
    """Return the first position at which a function takes what is declared at another one."""
    for index, (one, other) in enumerate(zip(declared, written, strict=False)):
        if one != other and other in declared and one in written:
            return index, other
    return None
