"""How a manifest is found. The sites are real, on 127.0.0.1."""

from __future__ import annotations

import asyncio
import time

from tests.compat.case import Cases, Trial, equal, holds
from tests.compat.web import META, Answer, manifest
from webagent import (
    AgentClient,
    Manifest,
    Tool,
    discover,
    discover_manifest_url,
    fetch_manifest,
    meta_tag,
)

case = Cases("discovery")

WITHIN_S = 1.0
"""Longest time that reading a page of hostile tags may take."""


def announced(trial: Trial, page: str, path: str = "/a/b") -> str | None:
    """Return the path of the manifest that a page announces, its origin taken off."""
    origin = trial.web.site({path: page})
    found = asyncio.run(discover_manifest_url(f"{origin}{path}"))
    return found and found.removeprefix(origin)


@case(
    sdk="Tags in comments, scripts, templates and text areas are followed.",
    ours="Only elements of the page are.",
)
def hidden_tags(trial: Trial) -> None:
    """Text that a browser does not see as a tag announces nothing."""
    for around in (
        "<!-- {} -->",
        "<script>var s = '{}'</script>",
        "<template>{}</template>",
        "<textarea>{}</textarea>",
        "<noscript>{}</noscript>",
    ):
        page = f"<html><head>{around.format(META.format('/old.md'))}</head></html>"
        equal((around, announced(trial, page)), (around, None))


@case(
    sdk="Attributes without quotes, with spaces, entities or apostrophes are missed or cut.",
    ours="Any HTML is read.",
)
def spellings_of_tags(trial: Trial) -> None:
    """Every valid spelling of the tag is understood."""
    for tag, path in (
        ("<meta name=webagents-md content=/w.md>", "/w.md"),
        ('<meta name = "webagents-md" content = "/w.md">', "/w.md"),
        ('<META NAME="WebAgents-MD" CONTENT="/w.md">', "/w.md"),
        ('<meta name=" webagents-md " content="/w.md">', "/w.md"),
        ('<meta name="webagents-md" content="/bob\'s.md">', "/bob's.md"),
        ('<meta data-x="a>b" name="webagents-md" content="/w.md">', "/w.md"),
        ('<meta name="webagents-md" content="/w.md?a=1&amp;b=2">', "/w.md?a=1&b=2"),
    ):
        equal((tag, announced(trial, tag)), (tag, path))


@case(
    sdk="`data-name`, and text inside another attribute, are taken for the tag.",
    ours="Attributes are told apart.",
)
def other_attributes(trial: Trial) -> None:
    """Only `name` names, and only `content` points."""
    equal(announced(trial, '<meta data-name="webagents-md" content="/evil.md">'), None)
    text = 'how to add name="webagents-md" content="/x.md"'
    equal(announced(trial, f"<meta name='description' content='{text}'>"), None)


@case(
    sdk="After a redirect the address is resolved against the first one.",
    ours="Against the page's final address.",
)
def redirects(trial: Trial) -> None:
    """A relative address belongs to the page that was served in the end."""
    pages = {
        "/": Answer(status=302, headers={"Location": "/en/start"}),
        "/en/start": META.format("w.md"),
    }
    origin = trial.web.site(pages)
    equal(asyncio.run(discover_manifest_url(f"{origin}/")), f"{origin}/en/w.md")


@case(
    sdk="`<base href>` has no influence.",
    ours="The same.",
    decision=(
        "HTML applies `<base>` to links, not to the content of `<meta>`, and browsers leave such "
        "content alone. It would also let a base on another origin move the manifest there."
    ),
)
def base_has_no_say(trial: Trial) -> None:
    """The address is resolved against the page, not against `<base>`."""
    page = f'<base href="https://cdn.example/x/">{META.format("w.md")}'
    equal(announced(trial, page), "/a/w.md")


@case(
    sdk="A page can send an agent anywhere: other origins, plain http, addresses inside a network.",
    ours="Same origin and http(s) only, unless `cross_origin=True` is passed.",
)
def other_origins(trial: Trial) -> None:
    """Other origins and schemes are not followed."""
    other = trial.web.site({"/w.md": manifest()}, other=True)
    for address in (
        f"{other}/w.md",
        f"{other.removeprefix('http:')}/w.md",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "javascript:alert(1)",
    ):
        origin = trial.web.site({"/": META.format(address)})
        try:
            found = asyncio.run(discover_manifest_url(f"{origin}/"))
        except Exception as error:
            holds(type(error).__module__.startswith("webagent"), error)
        else:
            equal((address, found), (address, None))


@case(
    sdk="An application's index.html, answered for every address, is returned as a manifest.",
    ours="HTML, other types and oversized answers are refused.",
)
def pages_are_no_manifests(trial: Trial) -> None:
    """Only a manifest is returned."""
    page = META.format("/webagents.md") + "<title>Shop</title>\n<h1>x</h1>\n## y\n"
    huge = manifest("# S\n" + "x" * 3_000_000)
    for answer in (Answer(page), Answer("{}", "application/json"), huge):
        origin = trial.web.site({"/": page, "/webagents.md": answer})
        for ask, address in ((discover, f"{origin}/"), (fetch_manifest, f"{origin}/webagents.md")):
            try:
                returned = asyncio.run(ask(address))
            except Exception as error:
                holds(type(error).__module__.startswith("webagent"), error)
            else:
                equal(returned, None)


@case(
    sdk="`meta_tag` does not escape its argument.",
    ours="It does.",
)
def meta_tags_are_escaped(trial: Trial) -> None:
    """No path gets out of the attribute."""
    holds("<script>" not in meta_tag('/a"><script>alert(1)</script>'), meta_tag('/"<script>'))
    equal(meta_tag("/w.md?a=1&b=2"), '<meta name="webagents-md" content="/w.md?a=1&amp;b=2">')


@case(
    sdk="After a failed `detect` the client goes on with the manifest of the site before.",
    ours="Nothing is loaded then.",
)
def no_stale_manifest(trial: Trial) -> None:
    """A failed detection leaves no manifest."""
    origin = trial.web.site({"/": Answer("broken", status=500)})

    async def detect() -> Manifest | None:
        async with AgentClient() as agent:
            agent.load_manifest(Manifest(name="Old", tools=[Tool(name="pay")]))
            try:
                await agent.detect(f"{origin}/")
            except Exception as error:
                holds(str(error), error)
            return agent.manifest

    equal(asyncio.run(detect()), None)


@case(
    sdk="A page of `<meta ` without end takes quadratic time: 48 KB take seconds.",
    ours="Linear time.",
)
def hostile_pages(trial: Trial) -> None:
    """A page of open tags is read within a second."""
    origin = trial.web.site({"/": "<meta " * 8_000})
    started = time.perf_counter()
    equal(asyncio.run(discover_manifest_url(f"{origin}/")), None)
    took_s = time.perf_counter() - started
    holds(took_s < WITHIN_S, f"{took_s:.1f} s")


@case(
    sdk="Only `<meta>` is looked at.",
    ours="Then `<link>`, the `Link` header, `/.well-known/webagents.md` and `/webagents.md`.",
)
def other_announcements(trial: Trial) -> None:
    """A link, a header, and the two usual addresses announce a manifest too."""
    link = '<link rel="webagents-md" href="/w.md">'
    header = Answer("<p>x</p>", headers={"Link": '</w.md>; rel="webagents-md"'})
    for pages in (
        {"/": link, "/w.md": manifest()},
        {"/": header, "/w.md": manifest()},
        {"/": "<p>x</p>", "/.well-known/webagents.md": manifest()},
        {"/": "<p>x</p>", "/webagents.md": manifest()},
    ):
        origin = trial.web.site(pages)
        found = asyncio.run(discover(f"{origin}/"))
        equal(found and found.tool_names, ["search"])
