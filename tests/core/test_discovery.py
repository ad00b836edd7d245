import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from webagent import discover, discover_manifest_url, discovery, fetch_manifest
from webagent.discovery import MANIFEST_BYTES
from webagent.errors import DiscoveryError, FetchFailed, NotAManifest, UrlRefused

PAGE = "https://shop.example/a/b"
META = '<meta name="webagents-md" content="{}">'
MARKDOWN = "# Shop\n\n## search\nFind.\n\n### Params\n"

Routes = dict[str, httpx.Response]


def client(routes: Routes) -> httpx.AsyncClient:
    """Return a client that answers from a table of addresses."""

    def answer(request: httpx.Request) -> httpx.Response:
        return routes.get(str(request.url), httpx.Response(404))

    return httpx.AsyncClient(transport=httpx.MockTransport(answer))


def site(content: str, **manifest: httpx.Response) -> Routes:
    """Return a page with a tag, and manifests by path under the page's origin."""
    routes = {PAGE: httpx.Response(200, html=META.format(content))}
    routes |= {f"https://shop.example/{path}": answer for path, answer in manifest.items()}
    return routes


def markdown(text: str = MARKDOWN, kind: str = "text/markdown") -> httpx.Response:
    return httpx.Response(200, content=text.encode(), headers={"content-type": kind})


async def address(html: str, url: str = PAGE) -> str | None:
    async with client({url: httpx.Response(200, html=html)}) as http:
        return await discover_manifest_url(url, client=http)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (META.format("/webagents.md"), "https://shop.example/webagents.md"),
        (META.format("webagents.md"), "https://shop.example/a/webagents.md"),
        ("<META CONTENT='/w.md' NAME=' WebAgents-MD '>", "https://shop.example/w.md"),
        ("<meta name=webagents-md content=/w.md?a=1&amp;b=2>", "https://shop.example/w.md?a=1&b=2"),
        (f"<!-- {META.format('/old.md')} -->", None),
        (f"<template>{META.format('/old.md')}</template>", None),
        ('<meta data-name="webagents-md" content="/evil.md">', None),
        ('<meta name="webagents-md" content="">', None),
        ("<p>nothing</p>", None),
        (
            f'<base href="https://cdn.example/x/">{META.format("w.md")}',
            "https://shop.example/a/w.md",
        ),
    ],
)
async def test_address(html: str, expected: str | None) -> None:
    """The first real tag counts, and is resolved against the page, not against `<base>`."""
    assert await address(html) == expected


@pytest.mark.parametrize(
    "content",
    [
        "https://evil.example/w.md",
        "http://shop.example/w.md",
        "//evil.example/w.md",
        "https://shop.example:8443/w.md",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[",
        "http://shop.example:notaport/",
    ],
)
async def test_other_origins_and_schemes_are_refused(content: str) -> None:
    """A page cannot send an agent to another origin or scheme."""
    with pytest.raises(UrlRefused):
        await address(META.format(content))


async def test_another_origin_is_followed_on_request() -> None:
    """The caller may allow another origin, but never another scheme."""
    async with client({PAGE: httpx.Response(200, html=META.format("//cdn.example/w.md"))}) as http:
        url = await discover_manifest_url(PAGE, client=http, cross_origin=True)

    assert url == "https://cdn.example/w.md"
    async with client({PAGE: httpx.Response(200, html=META.format("file:///w.md"))}) as http:
        with pytest.raises(UrlRefused):
            await discover_manifest_url(PAGE, client=http, cross_origin=True)


async def test_discovery_starts_from_the_final_address() -> None:
    """After a redirect, the manifest is searched for at the page's final address."""
    final = "https://www.shop.example/en/"
    routes = {
        PAGE: httpx.Response(301, headers={"location": final}),
        final: httpx.Response(200, html=META.format("webagents.md")),
    }
    async with client(routes) as http:
        assert await discover_manifest_url(PAGE, client=http) == f"{final}webagents.md"


async def test_discover() -> None:
    """A page leads to its manifest; a page without a tag to None."""
    routes = site("/w.md", **{"w.md": markdown()})
    async with client(routes) as http:
        manifest = await discover(PAGE, client=http)
        assert manifest is not None
        assert manifest.tool_names == ["search"]
    async with client({PAGE: httpx.Response(200, html="<p>")}) as http:
        assert await discover(PAGE, client=http) is None


async def test_a_manifest_that_moves_to_another_origin_is_refused() -> None:
    """A redirect of the manifest does not get round the rule for origins."""
    elsewhere = "https://evil.example/w.md"
    routes = site("/w.md", **{"w.md": httpx.Response(302, headers={"location": elsewhere})})
    async with client(routes | {elsewhere: markdown()}) as http:
        with pytest.raises(UrlRefused):
            await discover(PAGE, client=http)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: httpx.Response(200, html="<!doctype html><title>Shop</title>"),
        lambda: markdown("\n<!DOCTYPE html>", "text/plain"),
        lambda: markdown("{}", "application/json"),
        lambda: markdown("x" * (MANIFEST_BYTES + 1)),
    ],
    ids=["html", "html as text", "json", "large"],
)
async def test_a_document_that_is_not_a_manifest(answer: Callable[[], httpx.Response]) -> None:
    """HTML, other types and answers that are too large are refused by name."""
    async with client({PAGE: answer()}) as http:
        with pytest.raises(NotAManifest) as error:
            await fetch_manifest(PAGE, client=http)

    assert error.value.url == PAGE


@pytest.mark.parametrize(
    "kind", ["text/markdown; charset=utf-8", "text/plain", "application/octet-stream", ""]
)
async def test_types_of_manifests(kind: str) -> None:
    """Text of any kind, and servers that do not know Markdown, are accepted."""
    async with client({PAGE: markdown("\ufeff# Störe", kind)}) as http:
        assert (await fetch_manifest(PAGE, client=http)).name == "Störe"


async def test_charset_of_the_answer() -> None:
    """The charset that the server names is used, an unknown one is not."""
    for charset, body in (
        ("iso-8859-1", "# Störe".encode("latin-1")),
        ("x-no", "# Störe".encode()),
    ):
        answer = httpx.Response(
            200, content=body, headers={"content-type": f"text/markdown; charset={charset}"}
        )
        async with client({PAGE: answer}) as http:
            assert (await fetch_manifest(PAGE, client=http)).name == "Störe"


async def test_failures_are_typed() -> None:
    """A missing page, a dead host and an invalid address raise `FetchFailed`."""

    def dead(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    async with client({}) as http:
        with pytest.raises(FetchFailed) as error:
            await discover(PAGE, client=http)
        assert error.value.status == 404
        with pytest.raises(FetchFailed):
            await fetch_manifest("ftp//nothing", client=http)
    async with httpx.AsyncClient(transport=httpx.MockTransport(dead)) as http:
        with pytest.raises(FetchFailed, match="no route") as error:
            await discover(PAGE, client=http)
        assert error.value.status is None
    assert issubclass(FetchFailed, DiscoveryError)


async def test_the_callers_client_stays_open() -> None:
    """A client that was passed in is not closed."""
    async with client(site("/w.md", **{"w.md": markdown()})) as http:
        await discover(PAGE, client=http)

        assert not http.is_closed


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<link rel="webagents-md" href="/w.md">', "https://shop.example/w.md"),
        ('<link rel="alternate WebAgents-MD" href=w.md>', "https://shop.example/a/w.md"),
        ('<base href="/x/"><link rel="webagents-md" href="w.md">', "https://shop.example/x/w.md"),
        ('<link rel="webagents-md" href="/l.md">' + META.format("/m.md"), "/m.md"),
        ('<link rel="webagents-md" href="">', None),
        ('<link rel="stylesheet" href="/w.md">', None),
    ],
)
async def test_link_tags(html: str, expected: str | None) -> None:
    """A link counts where there is no meta tag, and `<base>` applies to it."""
    found = await address(html)

    assert found == expected or (expected and found == f"https://shop.example{expected}")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('</w.md>; rel="webagents-md"', "https://shop.example/w.md"),
        ('</a.css>; rel=preload; as=style, <w.md>;rel="x webagents-md"', "/a/w.md"),
        ('</w.md>; title="rel=webagents-md"', None),
        ("<" * 50_000, None),
    ],
)
async def test_link_headers(header: str, expected: str | None) -> None:
    """A header counts where the page has no tag, in the syntax of RFC 8288."""
    page = httpx.Response(200, html="<p>", headers={"link": header})
    async with client({PAGE: page}) as http:
        found = await discover_manifest_url(PAGE, client=http)

    assert found == expected or (expected and found == f"https://shop.example{expected}")


@pytest.mark.parametrize("path", [".well-known/webagents.md", "webagents.md"])
async def test_usual_paths(path: str) -> None:
    """If a page announces nothing, two usual paths are tried."""
    url = f"https://shop.example/{path}"
    async with client({PAGE: httpx.Response(200, html="<p>"), url: markdown()}) as http:
        assert await discover_manifest_url(PAGE, client=http) == url
        manifest = await discover(PAGE, client=http)

    assert manifest is not None
    assert manifest.tool_names == ["search"]


@pytest.mark.parametrize(
    "answer",
    [
        lambda: httpx.Response(404),
        lambda: httpx.Response(503),
        lambda: httpx.Response(200, html="<!doctype html><title>Shop</title>"),
        lambda: markdown("Not found", "text/plain"),
        lambda: markdown("# A guide\n\n## To what\nWords.\n"),
        lambda: markdown("{}", "application/json"),
        lambda: httpx.Response(302, headers={"location": "https://evil.example/w.md"}),
    ],
    ids=["404", "503", "html", "text", "guide", "json", "elsewhere"],
)
async def test_no_manifest_is_found_at_the_usual_paths(
    answer: Callable[[], httpx.Response],
) -> None:
    """A file that nobody announced has to be Markdown that declares a tool."""
    routes = {
        PAGE: httpx.Response(200, html="<p>"),
        "https://shop.example/webagents.md": answer(),
        "https://evil.example/w.md": markdown(),
    }
    async with client(routes) as http:
        assert await discover(PAGE, client=http) is None
        assert await discover_manifest_url(PAGE, client=http) is None


async def test_an_announced_manifest_has_to_exist() -> None:
    """A broken announcement is an error, even with a manifest at a usual path."""
    async with client(site("/w.md", **{"webagents.md": markdown()})) as http:
        with pytest.raises(FetchFailed) as error:
            await discover(PAGE, client=http)

    assert (error.value.status, error.value.url) == (404, "https://shop.example/w.md")


async def test_refused_addresses_get_no_request() -> None:
    """A redirect to another origin ends the search before a request is sent there."""
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if request.url.path == "/w.md":
            return httpx.Response(302, headers={"location": "http://169.254.169.254/latest"})
        return httpx.Response(200, html=META.format("/w.md"))

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        with pytest.raises(UrlRefused):
            await discover(PAGE, client=http)

    assert asked == [PAGE, "https://shop.example/w.md"]


async def test_endless_redirects_end() -> None:
    """A request fails after too many redirects."""
    async with client({PAGE: httpx.Response(302, headers={"location": PAGE})}) as http:
        with pytest.raises(FetchFailed, match="redirects more than"):
            await discover(PAGE, client=http)


@pytest.mark.parametrize(
    ("charset", "body"),
    [
        ("utf-16", "# Störe".encode("utf-16")),
        ("utf-8", "\ufeff# Störe".encode()),
        ("punycode", "# Störe".encode()),
        ("unicode_escape", "# Störe".encode()),
        ("\x00", "# Störe".encode()),
    ],
)
async def test_only_encodings_of_text_decode(charset: str, body: bytes) -> None:
    """Codecs that do not encode text are not used, and a byte order mark decides."""
    headers = {"content-type": f'text/markdown; charset="{charset}"'}
    async with client({PAGE: httpx.Response(200, content=body, headers=headers)}) as http:
        assert (await fetch_manifest(PAGE, client=http)).name == "Störe"


async def test_a_body_is_read_only_up_to_the_limit() -> None:
    """A body that is larger than any manifest is not downloaded to its end."""
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 100_000
            yield b"x" * 100_000

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=body(), headers={"content-type": "text/plain"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        with pytest.raises(NotAManifest):
            await fetch_manifest(PAGE, client=http)

    assert sent <= MANIFEST_BYTES + 200_000


async def test_a_body_that_drips_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part comes in time, and the whole never does."""
    monkeypatch.setattr(discovery, "MOST_S", 0.5)

    async def body() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.01)
            yield b"x"

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=body(), headers={"content-type": "text/plain"})

    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http,
        asyncio.timeout(20),
    ):
        with pytest.raises(FetchFailed, match="does not end within"):
            await fetch_manifest(PAGE, client=http)
