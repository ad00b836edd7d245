"""Checks of a published site that need no browser: a function for each thing that its server sends."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from webagent.diagnostics import Finding
from webagent.discovery import announced_in_header, announced_in_html
from webagent.html_tags import StartTag
from webagent.source import Source, Span
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles
from webagent_site.config.urls import CONTROL_PATH, TOOLS_PATH
from webagent_site.http.compression import LEAST_BYTES
from webagent_site.http.csp import allows, forbidden, may_be_framed, meta_policies, reaches

LONGEST_S = 3600
"""How long a manifest may be kept without asking."""
_MAX_AGE = re.compile(r"(?:s-maxage|max-age)\s*=\s*\"?([0-9]{1,12})", re.IGNORECASE)
_DIGEST = re.compile(r"/[0-9a-f]{16}/")
_TOKEN = re.compile(r"webagent_(?:owner|page|visit)_[0-9A-Za-z_-]{8}")
_KEY = re.compile(
    r"\b(?:sk-|gsk_|xai-)(?:(?=[A-Za-z]*\d)[A-Za-z0-9]{32,}|(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{40,})"
    r"|\bAIza[0-9A-Za-z_-]{35}"
)
"""The usual keys of providers: `sk-…` of OpenAI, Anthropic, OpenRouter and DeepSeek, `gsk_…`, `AIza…`."""
_HASHES = {"sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


class SiteFinding(NamedTuple):
    """A finding, and the text that it is in."""

    source: Source
    finding: Finding


def server_findings(site: SiteFiles) -> Iterator[SiteFinding]:
    """Yield the findings of all checks."""
    for check in (_page, _announcement, _manifest, _policy, _tags, _scripts, _secrets):
        yield from check(site)


def site_finding(source: Source, rule: str, message: str, help: str, span: Span) -> SiteFinding:  # noqa: A002
    """Return a finding of a rule."""
    return SiteFinding(source, LIVE_RULES[rule].finding(span, message, help=help))


def is_live_tag(tag: StartTag) -> bool:
    """Whether a tag leads to the live channel of the development server."""
    return tag.name == "meta" and tag.attributes.get("name", "").lower() == "webagent-live"


def _page(site: SiteFiles) -> Iterator[SiteFinding]:
    page = site.page
    if urlsplit(page.url).scheme == "http" and not page.is_local:
        yield site_finding(
            page.head,
            "insecure-page",
            f"`{page.url}` is served over http, where others can change the tools on their way",
            "serve it over https, and redirect http there",
            page.span(""),
        )


def _announcement(site: SiteFiles) -> Iterator[SiteFinding]:
    page, manifest = site.page, site.manifest
    if manifest is None:
        return
    if not (announced_in_html(page.html.text) or announced_in_header(page.header("link"))):
        path = urlsplit(manifest.requested_url).path
        yield site_finding(
            page.html,
            "not-announced",
            f"the page does not name its manifest, which was found at `{path}` by convention",
            f'write `<meta name="webagents-md" content="{path}">` into its head',
            Span(0, 0),
        )
    if manifest.url != manifest.requested_url:
        far = urlsplit(manifest.url)[:2] != urlsplit(manifest.requested_url)[:2]
        yield site_finding(
            manifest.head,
            "manifest-redirected",
            f"`{manifest.requested_url}` redirects to `{manifest.url}`"
            + (", which is another origin: agents refuse to follow" if far else ""),
            "announce the address where the manifest is",
            manifest.span(""),
        )


def _manifest(site: SiteFiles) -> Iterator[SiteFinding]:
    manifest = site.manifest
    if manifest is None:
        return
    kind, _, parameters = manifest.header("content-type").lower().partition(";")
    if kind.strip() not in ("text/markdown", "text/plain"):
        named = f"as `{kind.strip()}`" if kind.strip() else "without a type"
        yield site_finding(
            manifest.head,
            "manifest-type",
            f"the manifest is sent {named}, which is not a type of text",
            "set `content-type: text/markdown; charset=utf-8` for it",
            manifest.span("content-type"),
        )
    elif "charset=utf-8" not in parameters.replace(" ", "").replace('"', ""):
        yield site_finding(
            manifest.head,
            "manifest-charset",
            "the type of the manifest does not say that it is UTF-8",
            f"set `content-type: {kind.strip()}; charset=utf-8` for it",
            manifest.span("content-type"),
        )
    control = manifest.header("cache-control")
    ages = [int(age) for age in _MAX_AGE.findall(control)]
    checked = "no-cache" in control.lower() or "no-store" in control.lower()
    if not checked and max(ages, default=0) > LONGEST_S:
        yield site_finding(
            manifest.head,
            "manifest-caching",
            f"the manifest may be kept for {max(ages)} s without asking, also after it has changed",
            "set `cache-control: no-cache` for it, or a `max-age` of some minutes",
            manifest.span("cache-control"),
        )


def _policy(site: SiteFiles) -> Iterator[SiteFinding]:
    if not site.has_agent:
        return
    page = site.page
    policies = _policies(page)
    if _has_nonce(site, policies):
        # Their nonce allows the tags of the agent.
        policies = [policy.replace("'strict-dynamic'", "'self'") for policy in policies]
    for what, remedy in forbidden(policies, page.url):
        yield site_finding(
            page.head,
            "policy-blocks-agent",
            f"the policy of the page forbids {what}, which the agent needs",
            remedy,
            page.span("content-security-policy"),
        )
    for origin, model in _elsewhere(page.url, site.models).items():
        if not all(reaches(policy, model) for policy in policies):
            yield site_finding(
                page.head,
                "policy-blocks-agent",
                f"the policy of the page forbids requests to `{origin}`, where its model is",
                f"add `{origin}` to its `connect-src`",
                page.span("content-security-policy"),
            )
    if site.sandbox:
        yield from _sandbox(site.sandbox, page)


def _elsewhere(page_url: str, models: Iterable[str]) -> dict[str, str]:
    """Return the addresses of models on other origins than a page, one for each origin."""
    found = {}
    for model in models:
        try:
            url = urljoin(page_url, model)
        except ValueError:
            # No page can send anything there, whatever its policy.
            continue
        if urlsplit(url)[:2] != urlsplit(page_url)[:2]:
            found["://".join(urlsplit(url)[:2])] = url
    return found


def _sandbox(sandbox: FetchedFile, page: FetchedFile) -> Iterator[SiteFinding]:
    """Say what keeps programs from running in the file that is made for them."""
    if sandbox.status != 200:
        yield site_finding(
            sandbox.head,
            "bundle-missing",
            f"`{sandbox.requested_url}` answers with status {sandbox.status}, so programs have no place",
            "copy the whole of what `webagent-dev build` has written to the host",
            sandbox.span(""),
        )
        return
    policies = _policies(sandbox, meta=False)
    alone = "send that file alone with the policy that `webagent-dev build` prints for it"
    if not all(allows(one, "script-src", ("'unsafe-eval'",), sandbox.url) for one in policies):
        yield site_finding(
            sandbox.head,
            "policy-blocks-programs",
            "`sandbox.html` is sent with a policy that keeps programs from running in it",
            alone,
            sandbox.span("content-security-policy"),
        )
    elif not all(may_be_framed(one, page.url) for one in policies):
        yield site_finding(
            sandbox.head,
            "policy-blocks-programs",
            "`sandbox.html` is sent with a policy that forbids to show it in a frame of the page",
            alone,
            sandbox.span("content-security-policy"),
        )
    elif sandbox.header("x-frame-options").strip().lower() == "deny":
        yield site_finding(
            sandbox.head,
            "policy-blocks-programs",
            "`sandbox.html` is sent with `x-frame-options: DENY`, so the page cannot frame it",
            "leave that header out for this file, or send `SAMEORIGIN`",
            sandbox.span("x-frame-options"),
        )


def _has_nonce(site: SiteFiles, policies: Sequence[str]) -> bool:
    """Whether the agent's tag has the nonce of a policy."""
    nonces = {s.tag.attributes.get("nonce", "") for s in site.scripts if s.name == "webagent.js"}
    return any(nonce and f"'nonce-{nonce}'" in policy for nonce in nonces for policy in policies)


def _policies(file: FetchedFile, *, meta: bool = True) -> list[str]:
    found = [
        part
        for name, value in file.headers
        if name == "content-security-policy"
        for part in value.split(",")
    ]
    return found + meta_policies(file.html.text) if meta else found


def _tags(site: SiteFiles) -> Iterator[SiteFinding]:
    page = site.page
    if page.is_local:
        return
    for tag in site.tags:
        path = urlsplit(tag.attributes.get("src", "")).path
        # The functions of an application are below that path for visitors, too.
        ours = path.startswith(f"{CONTROL_PATH}/") and not path.startswith(f"{TOOLS_PATH}/")
        if is_live_tag(tag) or (tag.name == "script" and ours):
            yield site_finding(
                page.html,
                "development-tags",
                "the page has a tag of the development server, which is not there for visitors",
                "publish what `webagent-dev build` writes, not what `serve` shows",
                Span(tag.start, tag.end),
            )


def _scripts(site: SiteFiles) -> Iterator[SiteFinding]:
    page = site.page
    reported = False
    for script in site.scripts:
        file, span = script.file, Span(script.tag.start, script.tag.end)
        if file.status != 200:
            yield site_finding(
                page.html,
                "bundle-missing",
                f"`{file.requested_url}` answers with status {file.status}",
                "copy the whole of what `webagent-dev build` has written to the host",
                span,
            )
            continue
        hashes = script.tag.attributes.get("integrity", "").split()
        if hashes and not any(_fits(file.body, one) for one in hashes):
            yield site_finding(
                page.html,
                "bundle-integrity",
                f"`{script.name}` is not the file whose hash is in its tag, so browsers refuse it",
                "publish pages and files of one build, and let the host change neither",
                span,
            )
        control = file.header("cache-control").lower()
        if not reported and _DIGEST.search(urlsplit(file.url).path) and "immutable" not in control:
            reported = True
            yield site_finding(
                file.head,
                "bundle-caching",
                f"`{script.name}` is named by its content, but not sent as `immutable`, so that "
                "browsers ask for it again",
                "set `cache-control: public, max-age=31536000, immutable` for its folder",
                file.span("cache-control"),
            )
        if len(file.body) >= LEAST_BYTES and not file.header("content-encoding"):
            yield site_finding(
                file.head,
                "bundle-compression",
                f"`{script.name}` is not compressed, although the request allows it",
                "let the server send the compressed copies, or compress scripts and WebAssembly",
                file.span(""),
            )


def _secrets(site: SiteFiles) -> Iterator[SiteFinding]:
    page = site.page
    if _TOKEN.search(page.html.text) and not any(map(is_live_tag, site.tags)):
        # The place is not that of the token, which would then be in the terminal and in logs of CI.
        yield site_finding(
            page.head,
            "token-in-page",
            "the HTML has a token of webagent, and whoever gets a cached copy has it too",
            "remove it from the template: pages get their token by themselves",
            page.span(""),
        )
    for file in (page, site.manifest):
        if file:
            yield from keys_in(file)


def keys_in(file: FetchedFile) -> Iterator[SiteFinding]:
    """Say if an answer has the key of a provider; the key is not repeated."""
    if found := _KEY.search(f"{file.head.text}\n{file.html.text}"):
        yield site_finding(
            file.head,
            "key-in-answer",
            f"the answer of `{file.requested_url}` has what looks like the key of a provider: "
            f"`{found[0][:4]}…`",
            "revoke the key at the provider, and keep the new one in a variable of the server",
            Span(0, len(f"HTTP {file.status}")),
        )


def _fits(body: bytes, hashed: str) -> bool:
    kind, _, value = hashed.partition("-")
    if kind not in _HASHES:
        return False
    return base64.b64encode(_HASHES[kind](body).digest()).decode() == value.partition("?")[0]
