"""The contract test of a site: every tool that its manifest names or its first page offers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from webagent.checks import Report as Checked
from webagent.diagnostics import Severity
from webagent.errors import ToolError
from webagent.parser import read
from webagent.types import Behavior
from webagent_dev.contract.harness import Harness
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.proof import Progress, Proof, SiteReport, ToolReport
from webagent_dev.contract.sequences import Sequences
from webagent_dev.contract.sign_in import Login
from webagent_dev.contract.tool_prover import ToolProver
from webagent_dev.reports.content import Verdict
from webagent_site.errors import UsageError

TIMEOUT_S = 10.0
"""How long a call may take whose tool does not say so itself."""
LATE_S = 5.0
"""How long tools may take to be there, after their page was loaded and loads nothing more."""
_MOST_UNDECLARED = 10


class Prover:
    """Proves the tools of a site one after the other."""

    def __init__(
        self,
        harness: Harness,
        checked: Checked,
        *,
        site: str,
        permission: Permission,
        seed: int,
        timeout_s: float = TIMEOUT_S,
        late_s: float = LATE_S,
        login: Login | None = None,
        paths: Mapping[str, str] | None = None,
        only: Collection[str] = (),
        progress: Progress | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Prepare a test; nothing is opened yet.

        Args:
            harness: Opens the pages.
            checked: The manifest of the site, and what the checks say of it.
            site: What the report calls the site.
            permission: What may be called.
            seed: Where generated arguments come from.
            timeout_s: How long a call may take whose tool does not say so itself.
            late_s: How long tools may take to be there, after their page was loaded.
            login: How visitors are signed in; None if they cannot be.
            paths: The path of a page, by a pattern of the manifest that it is an example of.
            only: Names of the tools that are proven; empty for all.
            progress: Is called as the test goes on.
            now: The time of day.
        """
        self._harness = harness
        self._checked = checked
        self._site = site
        self._permission = permission
        self._seed = seed
        self._late_s = late_s
        self._absent: list[str] = []
        self._only = only
        self._progress = progress or Progress()
        self._now = now
        self._reading = read(checked.source.text, path=checked.source.path)
        self._prover = ToolProver(
            harness,
            checked,
            self._reading,
            permission=permission,
            seed=seed,
            timeout_s=timeout_s,
            late_s=late_s,
            login=login,
            paths=paths,
        )
        self._signs_in = login is not None
        self._tools: list[ToolReport] = []
        self._sequences: list[Proof] = []
        self._remarks: list[str] = []

    async def run(self) -> SiteReport:
        """Prove the tools; when it is cancelled, return what was proven until then.

        Raises:
            UsageError: The site cannot be opened, or what puts it back failed.
        """
        started, moment = time.perf_counter(), self._now()
        interrupted = False
        try:
            await self._prove()
        except asyncio.CancelledError:
            # Ctrl-C: what is known already is worth more than nothing.
            interrupted = True
        finally:
            await self._put_back(interrupted=interrupted)
        return SiteReport(
            self._site,
            self._reading.manifest.name,
            tuple(self._tools),
            self._seed,
            moment.isoformat(timespec="seconds"),
            tuple(self._sequences),
            tuple(self._remarks),
            interrupted,
            (time.perf_counter() - started) * 1000,
        )

    async def names(self) -> list[str]:
        """Return the names of all tools: those of the manifest, then others of the first page.

        Raises:
            UsageError: The first page cannot be opened.
        """
        session = self._prover.session()
        await session.open()
        tools = self._reading.manifest.tools
        try:
            # Waited for together: each that is missing would take as long.
            self._absent = await session.until_there(
                *(tool.name for tool in tools if _is_first(tool.behavior)), late_s=self._late_s
            )
        except ToolError as error:
            raise UsageError(
                f"the first page cannot be asked what it offers - {error.message} - "
                "open it in a browser, and see whether it stays where it is"
            ) from error
        names = [*dict.fromkeys([*self._reading.manifest.tool_names, *session.registry.names()])]
        own = await session.open_page.own_functions()
        self._add_remarks([name for name in own if name not in names])
        return names

    async def _prove(self) -> None:
        names = [name for name in await self.names() if not self._only or name in self._only]
        self._progress.started(names)
        for name in names:
            self._progress.begun(name)
            report = await self._prover.prove(
                name, late_s=0.0 if name in self._absent else self._late_s
            )
            self._tools.append(report)
            self._progress.proven(report)
        if not self._only:
            sequences = Sequences(
                self._harness,
                self._reading,
                self._prover.session(),
                self._prover.judge,
                self._permission,
                self._prover.found_at,
                signed_in=self._signs_in,
            )
            async for proof in sequences.prove():
                self._sequences.append(proof)
            self._tools = [_signed_in(tool, sequences.answered) for tool in self._tools]

    async def _put_back(self, *, interrupted: bool) -> None:
        """Put the site back if anything may have written to it; after Ctrl-C a failure is noted."""
        if not self._prover.memory.wrote:
            return
        try:
            await self._harness.reset()
        except UsageError as misuse:
            if not interrupted:
                raise
            self._remarks.append(str(misuse))

    def _add_remarks(self, undeclared: Sequence[str]) -> None:
        self._remarks.clear()
        findings = self._checked.findings
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        if not self._reading.manifest.tools:
            self._remarks.append(
                "the site has no manifest with tools - only what its page offers by itself was proven - "
                "`webagent-dev extract` drafts one"
            )
        elif errors:
            count = "an error" if errors == 1 else f"{errors} errors"
            self._remarks.append(
                f"the manifest has {count} - tools may be read otherwise than they are meant - "
                f"`webagent-dev check` shows where"
            )
        self._remarks += [
            f"the page has a function `{name}` that the manifest does not name - add `## {name}`, or "
            "begin its name with `_` if it is not for agents"
            for name in undeclared[:_MOST_UNDECLARED]
        ]


def _is_first(behavior: Behavior) -> bool:
    """Whether a tool is on the first page, for every visitor."""
    return not behavior.paths and not behavior.requires_login


def _signed_in(tool: ToolReport, answered: Collection[str]) -> ToolReport:
    """Return the report of a tool that needs a login, passed if it answered after one in a sequence."""
    if tool.verdict is not Verdict.NEEDS_LOGIN or tool.name not in answered:
        return tool
    remark = "it refuses visitors who are not signed in, and answers in a sequence that signs in"
    proofs = (
        replace(proof, verdict=Verdict.PASSED, message="", remarks=(*proof.remarks, remark))
        if proof.verdict is Verdict.NEEDS_LOGIN
        else proof
        for proof in tool.proofs
    )
    return replace(tool, proofs=tuple(proofs), allow="")
