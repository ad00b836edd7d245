"""The visitors of a site: their page tokens, and whose budget their requests count to.

A page gets its token by a POST. The token is bound to a session (a cookie of ours), to the account of the
visitor, to the origin of the page, and to a time; any process with the same secret can check it.
"""

from __future__ import annotations

import hmac
import inspect
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import quote

from starlette.requests import Request

from webagent_site.config.urls import CONTROL_PATH, normal_origin
from webagent_site.errors import ConfigError
from webagent_site.http.guard import TOKEN_HEADER, header_values
from webagent_site.http.request_body import RequestError
from webagent_site.text import printable

_log = logging.getLogger("webagent_site")

SESSION_COOKIE = "webagent-session"
SESSION_S = 30 * 24 * 3600
TOKEN_S = 600
"""How long a token is valid."""

_SESSION = re.compile(r"[A-Za-z0-9_-]{22}")
_TOKEN = re.compile(r"webagent_page_([0-9]{10,11})_([0-9a-f]{64})")

Account = Callable[[Request], str | Awaitable[str | None] | None]
"""Returns the account of the sender of a request, such as a user's id; None for a stranger."""

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class PageToken:
    """A token for one page, and the cookie that belongs to it."""

    token: str
    expires_s: int
    """Seconds until it ends."""
    visitor: str
    """Mark of the visitor (`Visitors.mark`)."""
    cookie: str
    """Value of `set-cookie`."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request, as the server sees them now."""

    account: str
    """Empty for a stranger."""
    session: str

    @property
    def key(self) -> str:
        """The name under which their things are kept."""
        return f"account {self.account}" if self.account else f"session {self.session}"


class Visitors:
    """Gives tokens to pages of the site, and checks them."""

    def __init__(
        self,
        secret: bytes,
        *,
        account: Account | None = None,
        proxies: Sequence[str] = (),
        origins: Collection[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Know the visitors of a site.

        Args:
            secret: Signs the tokens; the same for each worker process.
            account: Returns the account of a request. Without one, visitors differ by their
                address.
            proxies: Addresses or networks of proxies whose `X-Forwarded-For` is believed; `unix` for
                one that connects through a socket.
            origins: The origins of the site's pages; by default that of the `Host` of a request.
            clock: Seconds since 1970.

        Raises:
            ConfigError: A proxy is not a network, or an origin not one.
        """
        self._secret = secret
        self._account = account
        self._unix = "unix" in proxies
        self._proxies = [_network(each) for each in proxies if each != "unix"]
        self._origins = frozenset(map(_origin, origins))
        self._clock = clock
        self._has_warned = False

    async def issue(self, request: Request) -> PageToken:
        """Return a new token for a page.

        Raises:
            RequestError: The request does not come from a page of this site.
        """
        origin = self._checked_origin(request)
        session = _session_of(request) or secrets.token_urlsafe(16)
        account = await self._account_of(request)
        ends = int(self._clock()) + TOKEN_S
        mark = self.signature(str(ends), session, origin, account)
        cookie = session_cookie(request, session, origin)
        visitor = self.mark(Visitor(account, session).key)
        return PageToken(f"webagent_page_{ends}_{mark}", TOKEN_S, visitor, cookie)

    async def check(self, request: Request) -> str:
        """Check the token of a request, and return the key to whose budget it counts.

        Raises:
            RequestError: It comes from another origin, or its token is not valid.
        """
        tokens = request.headers.getlist(TOKEN_HEADER)
        visitor = await self._checked(request, tokens[0] if len(tokens) == 1 else "")
        return visitor.key if visitor.account else f"address {self.address_of(request)}"

    async def visitor(self, request: Request, token: str) -> str:
        """Check the token of a page, and return the key of its visitor: an account, or a session.

        Raises:
            RequestError: As in `check`.
        """
        return (await self._checked(request, token)).key

    def mark(self, visitor: str) -> str:
        """Return a word that stands for a visitor in a page, and does not say who it is."""
        return self._word(f"visitor:{visitor}")

    async def _checked(self, request: Request, token: str) -> Visitor:
        """Return who sends a request with a valid token."""
        origin = self._checked_origin(request)
        account = await self._account_of(request)
        found = _TOKEN.fullmatch(token)
        session = _session_of(request)
        if found is None or session is None:
            raise _token_refused("lacks the token of the page, or its cookie")
        expected = self.signature(str(int(found[1])), session, origin, account)
        if not hmac.compare_digest(found[2], expected):
            raise _token_refused("has a token of another session, account or server")
        if int(found[1]) <= self._clock():
            raise _token_refused("has a token that has expired")
        return Visitor(account, session)

    @property
    def has_accounts(self) -> bool:
        """Whether visitors differ by their accounts."""
        return self._account is not None

    async def sender(self, request: Request) -> Visitor:
        """Return who sends a request; one without a session gets a new one."""
        session = _session_of(request) or secrets.token_urlsafe(16)
        return Visitor(await self._account_of(request), session)

    async def account_mark(self, request: Request) -> str:
        """Return a word that stands for the account of a request in its pages; empty for a stranger.

        It differs for each account, and does not say which one it is.
        """
        account = await self._account_of(request)
        if not account:
            return ""
        return self._word(f"account:{account}")

    def address_of(self, request: Request) -> str:
        """Return the network that a request comes from: /24 of IPv4, /64 of IPv6."""
        peer = request.client.host if request.client else ""
        hops = [
            hop.strip()
            for hop in ",".join(header_values(request.scope, b"x-forwarded-for")).split(",")
        ]
        if any(hops) and peer not in hops:
            self._warn_of(peer)
        while hops and self._is_proxy(peer):
            peer = hops.pop()
        address = _address(peer)
        if address is None:
            # A socket, or nonsense of a proxy: all of these share one budget.
            return "unknown"
        size = 64 if isinstance(address, IPv6Address) else 24
        return str(ip_network((address, size), strict=False))

    def _is_proxy(self, peer: str) -> bool:
        address = _address(peer)
        if address is None:
            return not peer and self._unix
        return any(address in network for network in self._proxies)

    def _warn_of(self, peer: str) -> None:
        """Log a proxy of the site's own network that `proxies` lacks, once."""
        address = _address(peer)
        # Visitors from elsewhere can send the header, too.
        is_near = address.is_private if address else not peer
        if self._has_warned or not is_near or self._is_proxy(peer):
            return
        self._has_warned = True
        name = str(address or "unix")
        _log.warning(
            "%s",
            f"the proxy `{name}` is not named, so its `X-Forwarded-For` is not believed - all strangers "
            f'share one budget - write `LlmGateway.for_site(…, proxies=["{name}"])`',
        )

    def _checked_origin(self, request: Request) -> str:
        """Return the origin of the page that sends a request; it is one of ours."""
        origins = header_values(request.scope, b"origin")
        sites = header_values(request.scope, b"sec-fetch-site")
        origin = origins[0] if len(origins) == 1 else ""
        try:
            origin = normal_origin(origin)
        except ValueError:
            origin = ""
        if self._origins:
            is_ours = origin in self._origins
        else:
            # A proxy may have ended TLS, so the scheme of the request is not that of the page.
            hosts = header_values(request.scope, b"host")
            is_ours = len(hosts) == 1 and origin in _origins_of(hosts[0])
        if is_ours and all(site == "same-origin" for site in sites):
            return origin
        shown = printable(", ".join(origins), 300) or "none"
        raise RequestError(
            403,
            "wrong_origin",
            f"the request comes from the origin `{shown}` - only pages of this site may use its "
            "agent - name the site's origin in `origins`, if a proxy changes `Host`",
        )

    async def _account_of(self, request: Request) -> str:
        if self._account is None:
            return ""
        found = self._account(request)
        account = await found if inspect.isawaitable(found) else found
        # Many a site has numbers for its users.
        return str(account or "")

    def tab(self, session_key: str, secret: str) -> str:
        """Return the id of a tab. The same visitor with the same tab secret gets the same id."""
        return self._word(f"tab:{len(session_key)}:{session_key}:{secret}")

    def _word(self, text: str) -> str:
        return hmac.new(self._secret, text.encode("utf-8", "replace"), sha256).hexdigest()[:32]

    def signature(self, *fields: str) -> str:
        """Return what only the processes of this site can make of texts."""
        text = "".join(f"{len(each)}:{each}" for each in fields)
        return hmac.new(self._secret, text.encode("utf-8", "replace"), sha256).hexdigest()


def session_cookie(request: Request, session: str, origin: str) -> str:
    """Return the cookie of a session, for the part of the site that its own application serves."""
    path = quote(request.scope.get("root_path", "").rstrip("/") + CONTROL_PATH)
    secure = "; Secure" if origin.startswith("https:") else ""
    return f"{SESSION_COOKIE}={session}; Path={path}; Max-Age={SESSION_S}; HttpOnly; SameSite=Lax{secure}"


def _token_refused(why: str) -> RequestError:
    return RequestError(
        403,
        "invalid_page_token",
        f"only pages of this site are answered - the request {why} - reload the page",
    )


def _session_of(request: Request) -> str | None:
    session = request.cookies.get(SESSION_COOKIE, "")
    return session if _SESSION.fullmatch(session) else None


def _origins_of(host: str) -> set[str]:
    found = set()
    for scheme in ("http", "https"):
        with suppress(ValueError):
            found.add(normal_origin(f"{scheme}://{host}"))
    return found


def _origin(text: str) -> str:
    try:
        return normal_origin(text)
    except ValueError:
        raise ConfigError(
            f"`{printable(text, 300)}` is not an origin - `origins` has those of the site's pages - "
            "write `https://shop.example`"
        ) from None


def _address(peer: str) -> IPv4Address | IPv6Address | None:
    """Return the address of a peer, None for a socket or nonsense."""
    try:
        address = ip_address(peer.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError:
        raise ConfigError(
            f"`{printable(text, 300)}` is not an address of a proxy - `proxies` names those whose "
            "`X-Forwarded-For` is believed - write `10.0.0.0/8`, `127.0.0.1` or `unix`"
        ) from None
