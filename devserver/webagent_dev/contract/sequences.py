"""Calls one after the other in one page: the sample codes in their order, and programs of notes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress

from webagent.checks.sample_code.pieces import fences, read_pieces
from webagent.errors import Navigated, ToolError
from webagent.parser import Reading
from webagent_dev.contract.evidence import Fault, Judge
from webagent_dev.contract.harness import Harness
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.proof import Proof
from webagent_dev.contract.samples import filled, run_sample
from webagent_dev.contract.session import PageSession
from webagent_dev.reports.content import Place, Verdict
from webagent_site.errors import UsageError

_LANGUAGES = ("js", "javascript", "ts", "typescript")


class Sequences:
    """Runs programs of a manifest that belong together."""

    def __init__(
        self,
        harness: Harness,
        reading: Reading,
        session: PageSession,
        judge: Judge,
        permission: Permission,
        found_at: Mapping[str, str],
        *,
        signed_in: bool = False,
    ) -> None:
        """Run those of a manifest.

        Args:
            harness: Puts the site back before each sequence.
            reading: The manifest, with its places.
            session: Opens the pages.
            judge: Compares the calls with the manifest.
            permission: What may be called.
            found_at: The path of the page that each tool was found on.
            signed_in: Whether the visitor is signed in first.
        """
        self._found_at = found_at
        self._signed_in = signed_in
        self._harness = harness
        self._reading = reading
        self._session = session
        self._judge = judge
        self._permission = permission
        self.answered: set[str] = set()
        """Names of the tools that gave an answer of the declared type."""

    async def prove(self) -> AsyncIterator[Proof]:
        """Yield a proof for each sequence that the manifest has."""
        samples = self._samples()
        if len(samples) > 1:
            yield await self._run("the sample codes, one after the other", samples, None)
        for title, code, place in self._workflows():
            yield await self._run(f"the program under “{title}”", [(title, code)], place)

    def _samples(self) -> list[tuple[str, str]]:
        manifest, found = self._reading.manifest, []
        for tool, place in zip(manifest.tools, self._reading.tools, strict=True):
            pieces = read_pieces(self._reading.source, tool, place)
            found += [(tool.name, piece.text) for piece in pieces]
        return found

    def _workflows(self) -> list[tuple[str, str, Place]]:
        source, found = self._reading.source, []
        for note, place in zip(self._reading.manifest.notes, self._reading.notes, strict=True):
            for language, start, end in fences(source.text, place.start, place.end):
                code = source.text[start:end]
                if language in _LANGUAGES and "global." in code:
                    at = source.position(start)
                    found.append((note.title, code, Place(source.path, at.line + 1, 1)))
        return found

    async def _run(
        self, title: str, programs: Sequence[tuple[str, str]], place: Place | None
    ) -> Proof:
        """Run programs in one page, except those that call tools without permission."""
        started = time.perf_counter()
        if self._permission.writes or self._permission.unknown:
            await self._harness.reset()
        try:
            await self._session.open(signed_in=self._signed_in)
        except UsageError as failure:
            return Proof("sequence", Verdict.FAILED, f"{title}: {failure}", place)
        faults: list[Fault] = []
        remarks: list[str] = []
        calls = ran = 0
        held_back = ""
        left = [*programs]
        while left:
            program = left[0] if place is not None else await self._next(left)
            if program is None:
                names = ", ".join(dict.fromkeys(f"`{name}`" for name, _ in left))
                remarks.append(f"not tried, since no page that was reached has them: {names}")
                break
            left.remove(program)
            name, code = program
            code, _ = filled(code, self._session.found(name))
            run = await run_sample(code, self._session, self._permission)
            calls += len(run.outcomes)
            if run.refused is not None:
                held_back = run.refused[0]
                why = "" if held_back == name else f": it calls `{held_back}`"
                remarks.append(f"`{name}` was held back{why}")
                continue
            for outcome in run.outcomes:
                found = [*self._judge.faults(outcome)]
                faults += found
                if outcome.result.ok and not found:
                    self.answered.add(outcome.binding.name)
            error = None if isinstance(run.error, Navigated) else run.error
            if error is not None:
                remarks.append(f"`{name}` did not come to its end: {_one_line(error)}")
            ran += error is None
        failed = faults[0] if faults else None
        if failed is None and place is not None and remarks and not held_back:
            message = f"{title} fails: {remarks[0]} - agents follow it - mend it, or the tools"
            failed = Fault("sequence", message, "", place)
        verdict = Verdict.FAILED if failed else Verdict.PASSED if ran else Verdict.SKIPPED
        message = f"{title}: {failed.message if failed else f'{ran} of {len(programs)} ran'}"
        return Proof(
            "sequence",
            verdict,
            message,
            (failed.place if failed else None) or place,
            failed.call if failed else "",
            failed.declared if failed else "",
            failed.path if failed else "",
            tuple(remarks),
            calls,
            (time.perf_counter() - started) * 1000,
        )

    async def _next(self, left: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
        """Return a program whose tool this page has, or another page that is opened for it."""
        here = await self._session.first_there(*(name for name, _ in left))
        paths = [self._found_at[name] for name, _ in left if name in self._found_at]
        for path in dict.fromkeys(paths):
            if here is not None:
                break
            with suppress(UsageError):
                await self._session.go(path)
                here = await self._session.first_there(*(name for name, _ in left))
        return next((program for program in left if program[0] == here), None)


def _one_line(error: ToolError) -> str:
    return " ".join(error.message.split())[:200]
