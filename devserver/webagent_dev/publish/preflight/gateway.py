"""Checks of the gateway of a site: its tokens and limits, as pages and others meet them.

Each request is one that a gateway refuses, so that no provider is asked and nothing is paid for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from webagent.json_text import read_json
from webagent.llm.providers import PROVIDERS
from webagent.urls import absolute
from webagent_dev.publish.preflight.checks import SiteFinding, is_live_tag, keys_in, site_finding
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles, fetch_file
from webagent_site.config.urls import CONTROL_PATH, model_provider, model_url, normal_origin
from webagent_site.errors import UsageError
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.llm.gateway import MAX_BODY_BYTES
from webagent_site.llm.protocols import PROTOCOLS

REQUESTS = 8
"""How often a token is shown: workers that do not accept it are not asked each time."""
USUAL_BYTES = 3 << 20
"""A request that the gateway reads, and that proxies with their usual limit of 1 MB refuse."""

_FOLDER = re.compile(rf".*{re.escape(CONTROL_PATH)}/llm/")
_MODEL = "webagent-check"
"""A model that no owner names."""
_OTHER = "https://other.example"
_BUSY = frozenset((429, 503))
"""Nothing is wrong: there were many requests, or the owner has stopped the models."""
_PASS = f"let the proxy pass what is below `{CONTROL_PATH}/llm/` to the application"
_REMEDIES = {
    200: _PASS,
    403: "let the proxy pass `Host` on unchanged, with its port, or name the origin of the pages in "
    "`origins`",
    404: _PASS,
    405: f"let the proxy pass POSTs below `{CONTROL_PATH}/llm/` to the application",
}


@dataclass(frozen=True, slots=True)
class Gateway:
    """The answers of a gateway. Without a token there are only the first three."""

    token: FetchedFile
    """To the POST of a page of the site."""
    token_by_get: FetchedFile
    token_elsewhere: FetchedFile
    """To the POST of a page of another site."""
    unknown_model: tuple[FetchedFile, ...] = ()
    """To requests with a token, for a model that is not that of the site."""
    long: FetchedFile | None = None
    """To one of a size that the gateway reads."""
    too_long: FetchedFile | None = None
    """To one beyond its limit; None too where the connection was closed."""


async def fetch_gateway(site: SiteFiles) -> Gateway | None:
    """Ask the gateway that a published page names; None without one.

    Raises:
        UsageError: The server does not answer.
    """
    if any(map(is_live_tag, site.tags)):
        # The development server has no tokens to give: its pages have one.
        return None
    for option in site.model_options:
        address = absolute(site.page.url, model_url(option))
        found = _FOLDER.match(urlsplit(address).path) if address else None
        provider = PROVIDERS.get(model_provider(option))
        if address and found and provider and _origin(address) == _origin(site.page.url):
            protocol = PROTOCOLS[provider.protocol]
            # Where the path names the model, the request names another one.
            named = option.partition("#")[2].partition("&")[0].rpartition("%2F")[2]
            path = protocol.path.replace("MODEL", named)
            body = {"model": _MODEL, protocol.needed: []}
            return await _asked(site.page.url, f"{found[0]}token", address + path, body)
    return None


async def _asked(page: str, token_path: str, model: str, body: Mapping[str, object]) -> Gateway:
    import httpx

    token_url = urljoin(page, token_path)
    own = {"origin": _origin(page), "sec-fetch-site": "same-origin"}
    other = {"origin": _OTHER, "sec-fetch-site": "cross-site"}
    # Without connections that stay: each of them leads to one worker.
    limits = httpx.Limits(max_keepalive_connections=0)
    async with (
        httpx.AsyncClient(timeout=30, limits=limits) as client,
        httpx.AsyncClient(timeout=30) as stranger,
    ):
        answers = (
            await fetch_file(client, token_url, "POST", headers=own),
            await fetch_file(stranger, token_url),
            await fetch_file(stranger, token_url, "POST", headers=other),
        )
        token = _token_in(answers[0])
        if token is None:
            return Gateway(*answers)
        headers = own | {TOKEN_HEADER: token, "content-type": "application/json"}

        async def ask(size: int) -> FetchedFile:
            content = json.dumps(body).encode().ljust(size)
            return await fetch_file(client, model, "POST", headers=headers, content=content)

        return Gateway(
            *answers,
            tuple([await ask(0) for _ in range(REQUESTS)]),
            await _unless_closed(ask(USUAL_BYTES)),
            await _unless_closed(ask(MAX_BODY_BYTES + 1)),
        )


async def _unless_closed(answer: Awaitable[FetchedFile]) -> FetchedFile | None:
    """Return an answer, None if the server closes the connection before the end of the request."""
    try:
        return await answer
    except UsageError:
        return None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return normal_origin(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")


def _token_in(answer: FetchedFile) -> str | None:
    """Return the token in an answer, None if it has none."""
    try:
        data = read_json(answer.body.decode("utf-8")) if answer.status == 200 else None
    except ValueError:
        return None
    found = data.get("token") if isinstance(data, dict) else None
    return found if isinstance(found, str) and found.isascii() and found.isprintable() else None


def gateway_findings(gateway: Gateway) -> Iterator[SiteFinding]:
    """Yield the findings on a gateway."""
    yield from _refused_token(gateway.token)
    yield from _tokens(gateway)
    yield from _refused_requests(gateway)
    yield from _limits(gateway)
    for file in (gateway.token, *gateway.unknown_model[:1], gateway.too_long):
        if file:
            yield from keys_in(file)


def _refused_token(answer: FetchedFile) -> Iterator[SiteFinding]:
    if _token_in(answer) is None and answer.status not in _BUSY:
        yield site_finding(
            answer.head,
            "gateway-refuses-pages",
            f"the site's own page gets no token for its model: POST `{answer.url}` answers with status "
            f"{answer.status}",
            _REMEDIES.get(answer.status, "read the log of the application"),
            answer.span(""),
        )


def _tokens(gateway: Gateway) -> Iterator[SiteFinding]:
    others = (
        (gateway.token_by_get, "a GET", "answer POSTs only"),
        (
            gateway.token_elsewhere,
            f"a page of `{_OTHER}`",
            "let the proxy pass `Origin` on unchanged",
        ),
    )
    for answer, whom, remedy in others:
        if _token_in(answer) is not None:
            yield site_finding(
                answer.head,
                "gateway-tokens",
                f"`{answer.url}` gives a token to {whom}",
                f"{remedy}, and keep no answers below `{CONTROL_PATH}/`",
                answer.span(""),
            )
    answer = gateway.token
    if _token_in(answer) is not None and "no-store" not in answer.header("cache-control").lower():
        yield site_finding(
            answer.head,
            "gateway-tokens",
            f"the token of `{answer.url}` may be kept by caches: its `no-store` is missing",
            f"let the proxy leave `cache-control` as it is below `{CONTROL_PATH}/`",
            answer.span("cache-control"),
        )


def _refused_requests(gateway: Gateway) -> Iterator[SiteFinding]:
    """Say if a request with a token does not get as far as its model."""
    sent = gateway.unknown_model
    refused = [answer for answer in sent if answer.status == 403]
    if refused:
        yield site_finding(
            refused[0].head,
            "gateway-refuses-pages",
            f"{len(refused)} of {len(sent)} requests with a new token are refused with status 403",
            "give all workers and machines the same `WEBAGENT_SECRET`"
            if len(refused) < len(sent)
            else f"let the proxy pass cookies and the header `{TOKEN_HEADER}` on",
            refused[0].span(""),
        )
    for answer in sent:
        if answer.status not in (403, 404, *_BUSY) and answer.status >= 300:
            yield site_finding(
                answer.head,
                "gateway-refuses-pages",
                f"POST `{answer.url}` answers with status {answer.status}, so no request gets to the model",
                _REMEDIES.get(
                    answer.status, "read the log of the application, and that of the proxy"
                ),
                answer.span(""),
            )
            break


def _limits(gateway: Gateway) -> Iterator[SiteFinding]:
    accepted = [answer for answer in gateway.unknown_model if answer.status < 300]
    if accepted:
        yield site_finding(
            accepted[0].head,
            "gateway-limits",
            f"POST `{accepted[0].url}` answers a request for the model `{_MODEL}`, which the owner has not "
            "named",
            "forward requests with `webagent_site`, or refuse other models",
            accepted[0].span(""),
        )
    if (answer := gateway.too_long) and answer.status in (200, 400, 404):
        yield site_finding(
            answer.head,
            "gateway-limits",
            f"POST `{answer.url}` reads a request of more than {MAX_BODY_BYTES} bytes",
            "forward requests with `webagent_site`, or refuse long ones with status 413",
            answer.span(""),
        )
    if (answer := gateway.long) and answer.status == 413:
        yield site_finding(
            answer.head,
            "gateway-body",
            f"POST `{answer.url}` refuses a request of {USUAL_BYTES} bytes with status 413; the gateway "
            f"takes {MAX_BODY_BYTES}",
            f"allow 5 MB below `{CONTROL_PATH}/llm/`: `client_max_body_size 5m` in nginx",
            answer.span(""),
        )
