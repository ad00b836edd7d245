"""`webagent-dev check https://…`: everything that is looked at on a published site."""

from __future__ import annotations

import asyncio

from webagent.checks import Report
from webagent.source import Source
from webagent.types import Manifest
from webagent_dev.browser.chromium import NoBrowser
from webagent_dev.publish.preflight.browser_checks import look_inside
from webagent_dev.publish.preflight.checks import Look, looks
from webagent_dev.publish.preflight.fetch import visit
from webagent_dev.terminal import Console


def look_at(page_url: str, report: Report, console: Console | None) -> list[Report]:
    """Return what is to be said of a site: a report for each text in which something was found.

    Args:
        page_url: Address of the page.
        report: Its manifest, named by its address.
        console: Where it is said that there is no browser to look with.

    Raises:
        Misuse: The server does not answer.
    """

    async def look() -> list[Look]:
        seen = await visit(page_url, report.source.path)
        found = list(looks(seen))
        try:
            told = {look.finding.rule for look in found}
            # What the server's headers have shown already is not said twice.
            found += [
                look for look in await look_inside(seen, report) if look.finding.rule not in told
            ]
        except NoBrowser as reason:
            if console:
                console.line(f"the page was not opened: {reason}")
        return found

    sources: dict[tuple[str, str], Source] = {}
    by_text: dict[tuple[str, str], list[Look]] = {}
    for one in asyncio.run(look()):
        key = (one.source.path, one.source.text)
        sources.setdefault(key, one.source)
        by_text.setdefault(key, []).append(one)
    return [
        Report(
            Manifest(),
            tuple(sorted((look.finding for look in by_text[key]), key=lambda found: found.span)),
            source,
        )
        for key, source in sources.items()
    ]
