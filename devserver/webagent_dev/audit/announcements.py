"""Findings on what announces a site to machines: llms.txt, robots.txt, catalogue, skills, headers, trial."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from webagent.announcements.llms_txt import llms_txt_problems
from webagent.discovery import announced_in_header, announced_in_html
from webagent.json_text import read_json
from webagent.source import Source, Span
from webagent.urls import absolute, origin_of
from webagent_dev.audit.announced_files import AnnouncedFiles, json_of, path_of
from webagent_dev.audit.catalogue import catalogue_errors, catalogue_gaps, skill_errors
from webagent_dev.audit.robots import VISITING_AGENTS, Robots
from webagent_dev.publish.preflight.checks import SiteFinding, site_finding
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles

LEAST_LLMS = 50
"""Characters that a useful `llms.txt` has at least."""
TRIAL = "WebMCP"
TRIAL_ENDS_S = 30 * 24 * 3600

_TITLE = re.compile(r"^ {0,3}#[ \t]+\S", re.MULTILINE)
_LINK = re.compile(r"\[[^\[\]\n]{1,1000}\]\([^)\n]{1,2000}\)")
_NO_TOOLS = re.compile(r"(?:^|,)\s*tools\s*=\s*\(\s*\)", re.IGNORECASE)
_SIGNED = 69
"""Bytes of a token before its payload: version, signature and length."""
_LONGEST = 500_000
"""Characters of an `llms.txt` that are looked at."""
_MOST = 10
"""Findings of one kind."""


def file_findings(site: SiteFiles, files: AnnouncedFiles) -> Iterator[SiteFinding]:
    """Yield the findings on all of them."""
    yield from _headers(site)
    yield from _trial(site.page, _trial_tokens(site))
    yield from _llms(files.llms)
    yield from _robots(site, files.robots)
    yield from _catalogue(files)
    yield from _skills(files)
    yield from _twin(files.twin)


def _headers(site: SiteFiles) -> Iterator[SiteFinding]:
    page = site.page
    in_html = announced_in_html(page.html.text)
    in_header = announced_in_header(page.header("link"))
    if in_html and in_header and absolute(page.url, in_html) != absolute(page.url, in_header):
        yield site_finding(
            page.head,
            "announcements-differ",
            f"the page names the manifest `{in_html}`, and its `Link` header `{in_header}`",
            "name the same one in both, or in one of them alone",
            page.span("link"),
        )
    if _NO_TOOLS.search(page.header("permissions-policy")):
        yield site_finding(
            page.head,
            "policy-blocks-webmcp",
            "the header `Permissions-Policy` of the page has `tools=()`, which turns WebMCP off",
            "write `tools=(self)`, or leave `tools` out",
            page.span("permissions-policy"),
        )


def _llms(file: FetchedFile) -> Iterator[SiteFinding]:
    text = file.html.text
    problems = []
    if _fails(file):
        problems.append((_failure(file), "read the log of the server"))
    elif file.status == 200:
        if "html" in file.header("content-type").lower():
            problems.append(("is a page", "send Markdown there, or status 404"))
        if not _TITLE.search(text):
            problems.append(("has no title", "begin it with `# ` and the name of the site"))
        if not _LINK.search(text[:_LONGEST]):
            problems.append(("has no links", "list pages as `- [name](address): what is there`"))
        if len(text) < LEAST_LLMS:
            problems.append(
                (
                    f"has {len(text)} characters",
                    "say in a paragraph what the site is, and list its pages",
                )
            )
    for what, remedy in problems:
        yield _of_file(file, "llms-txt-invalid", f"`/llms.txt` {what}", remedy)
    if file.status == 200 and not problems:
        for problem in islice(llms_txt_problems(text[:_LONGEST]), _MOST):
            what, _, remedy = problem.partition(" - ")
            yield _of_file(file, "llms-txt-form", f"`/llms.txt`: {what}", remedy)


def _robots(site: SiteFiles, file: FetchedFile) -> Iterator[SiteFinding]:
    if _fails(file):
        remedy = "send the file, or status 404"
        yield _of_file(file, "robots-unreadable", f"`/robots.txt` {_failure(file)}", remedy)
        return
    if file.status != 200:
        return
    if "html" in file.header("content-type").lower():
        remedy = "send the file as `text/plain`, or status 404"
        yield _of_file(file, "robots-unreadable", "`/robots.txt` is a page", remedy)
        return
    robots = Robots(file.html.text)
    asked = [site.page, *([site.manifest] if site.manifest else [])]
    for path in dict.fromkeys(urlsplit(one.url).path or "/" for one in asked):
        closed = [agent for agent in VISITING_AGENTS if not robots.allows(agent, path)]
        if closed:
            yield site_finding(
                file.html,
                "robots-blocks-agents",
                f"`/robots.txt` keeps {', '.join(closed)} from `{path}`, where visitors send them",
                f"write `User-agent: {closed[0]}` with `Allow: {path}`",
                Span(0, 0),
            )


def _catalogue(files: AnnouncedFiles) -> Iterator[SiteFinding]:
    file, signals = files.catalogue, files.catalogue_signals
    where = f"the catalogue `{file.requested_url}`"
    if file.status != 200:
        if signals:
            remedy = "put the catalogue there, on the origin of the page, or name none"
            named = f"{where}, which {' and '.join(signals)} names, {_failure(file)}"
            yield _of_file(file, "catalogue-invalid", named, remedy)
        return
    data = json_of(file)
    if data is None:
        yield _of_file(file, "catalogue-invalid", f"{where} is not JSON", "write it as JSON")
        return
    remedy = "write it as agenticresourcediscovery.org says"
    for error in catalogue_errors(data)[:_MOST]:
        yield _of_file(file, "catalogue-invalid", f"{where} does not fit: {error}", remedy)
    for gap in [*catalogue_gaps(data)][:_MOST]:
        remedy = "give each entry 2 to 5 `representativeQueries`, and a type that registries know"
        yield _of_file(file, "catalogue-incomplete", f"{where} can be better: {gap}", remedy)
    if not signals:
        yield _of_file(
            file,
            "catalogue-not-announced",
            f"the page does not name {where}",
            f'send `Link: <{path_of(file)}>; rel="ai-catalog"` with the page',
        )


def _skills(files: AnnouncedFiles) -> Iterator[SiteFinding]:
    file = files.skills
    if _fails(file):
        remedy = "read the log of the server"
        yield _of_file(file, "skills-invalid", f"`{path_of(file)}` {_failure(file)}", remedy)
    elif file.status == 200:
        data = json_of(file)
        errors = ["it is not JSON"] if data is None else skill_errors(data, files.skill_files)
        for error in errors[:_MOST]:
            remedy = "write the index anew whenever a skill changes"
            yield _of_file(
                file, "skills-invalid", f"`{path_of(file)}` does not fit: {error}", remedy
            )


def is_twin(file: FetchedFile) -> bool:
    """Whether a page was sent as Markdown."""
    return file.status == 200 and file.header("content-type").lower().startswith("text/markdown")


def _twin(file: FetchedFile) -> Iterator[SiteFinding]:
    if is_twin(file) and "accept" not in re.split(r"[\s,]+", file.header("vary").lower()):
        yield site_finding(
            file.head,
            "markdown-not-varied",
            "the page is sent as Markdown to who asks for it, without `Vary: Accept`",
            "set `Vary: Accept` for the page, as Markdown and as HTML",
            file.span("vary"),
        )


def _trial_tokens(site: SiteFiles) -> list[str]:
    metas = (
        tag.attributes.get("content", "")
        for tag in site.tags
        if tag.name == "meta" and tag.attributes.get("http-equiv", "").lower() == "origin-trial"
    )
    header = site.page.header("origin-trial").split(",")
    return [token.strip() for token in (*header, *metas) if token.strip()]


class _Token(NamedTuple):
    """The content of a token; its signature is the browser's matter."""

    feature: object
    origin: str
    expiry_s: int
    """In seconds since 1970."""
    with_subdomains: bool
    anywhere: bool
    """Whether it is that of a script which other sites load."""

    @property
    def end(self) -> datetime:
        return datetime.fromtimestamp(self.expiry_s, UTC)

    def is_for(self, origin: str) -> bool:
        if self.anywhere or self.origin == origin:
            return True
        there, here = urlsplit(self.origin), urlsplit(origin)
        below = (here.hostname or "").endswith(f".{there.hostname}")
        return (
            self.with_subdomains
            and below
            and there.scheme == here.scheme
            and there.port == here.port
        )


def trial_end(site: SiteFiles) -> datetime | None:
    """Return when the page's token for WebMCP ends; None without one that can be read."""
    tokens = map(_token, _trial_tokens(site))
    return max((one.end for one in tokens if one and one.feature == TRIAL), default=None)


def has_trial(site: SiteFiles) -> bool:
    """Whether the page has a token for WebMCP, or one that cannot be read."""
    tokens = map(_token, _trial_tokens(site))
    return any(one is None or one.feature == TRIAL for one in tokens)


def _trial(page: FetchedFile, texts: list[str]) -> Iterator[SiteFinding]:
    own, span = origin_of(page.url), page.span("origin-trial")
    for text in texts[:_MOST]:
        token = _token(text)
        if token is None:
            yield site_finding(
                page.head,
                "origin-trial-invalid",
                "a token for a trial cannot be read",
                "copy the whole token",
                span,
            )
        elif token.feature != TRIAL:
            continue
        elif not token.is_for(own):
            yield site_finding(
                page.head,
                "origin-trial-invalid",
                f"the token for the trial of WebMCP is for `{token.origin}`, not for `{own}`",
                f"register `{own}` for the trial",
                span,
            )
        elif (left_s := token.expiry_s - time.time()) < TRIAL_ENDS_S:
            yield site_finding(
                page.head,
                "origin-trial-ends" if left_s > 0 else "origin-trial-invalid",
                f"the last day of the token for the trial of WebMCP is {token.end:%d %B %Y}",
                "renew it where you have registered the site",
                span,
            )


def _token(text: str) -> _Token | None:
    """Return what a token says; None if it cannot be read."""
    try:
        data = base64.b64decode(text, validate=True)
        payload = read_json(data[_SIGNED:].decode("utf-8"))
    except ValueError:
        return None
    whole = (
        len(data) > _SIGNED and int.from_bytes(data[_SIGNED - 4 : _SIGNED]) == len(data) - _SIGNED
    )
    expiry = payload.get("expiry") if isinstance(payload, dict) else None
    if not whole or not isinstance(expiry, int) or not 0 < expiry < 1 << 32:
        return None
    return _Token(
        payload.get("feature"),
        origin_of(str(payload.get("origin", ""))),
        expiry,
        payload.get("isSubdomain") is True,
        payload.get("isThirdParty") is True,
    )


def _fails(file: FetchedFile) -> bool:
    """Whether the server does not answer, or fails."""
    return file.status == 0 or file.status >= 500


def _failure(file: FetchedFile) -> str:
    if file.status:
        return f"answers with status {file.status}"
    why = file.html.text.partition(" - ")[2].partition(" - ")[0]
    return f"was not answered: {why or 'it took too long'}"


def _of_file(file: FetchedFile, rule: str, message: str, remedy: str) -> SiteFinding:
    """Return a finding on a file as a whole."""
    source = file.html if file.status == 200 else Source(f"HTTP {file.status}", file.requested_url)
    return site_finding(source, rule, message, remedy, Span(0, 0))
