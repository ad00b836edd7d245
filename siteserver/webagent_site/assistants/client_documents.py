"""The documents with which assistants say who they are: the id of a client is the address of its document.

The address comes from outside, so this server is made to send a request somewhere. It goes to public
addresses only, over TLS, to the address that was checked; no redirect is followed.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import httpx

from webagent.json_text import read_json
from webagent_site.text import printable

MOST_BYTES: Final = 16 * 1024
WHOLE_S: Final = 5.0
"""How long a document may take, with the look-up of its name."""
KEPT_S: Final = 600.0
KEPT_FAILURE_S: Final = 30.0
"""How long a refused document is not asked for again."""

_LONGEST_ID: Final = 500
_MOST_KEPT: Final = 256
_AT_ONCE: Final = 8

_GLOBAL_V6: Final = IPv6Network("2000::/3")


class ClientRefused(Exception):
    """An assistant does not say who it is; the message says why."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the open internet.

    An address of version 6 that stands for one of version 4 is not, wherever that is.
    """
    if address.is_multicast or not address.is_global:
        return False
    if isinstance(address, IPv4Address):
        return True
    return address in _GLOBAL_V6 and address.sixtofour is None and address.teredo is None


class ClientDocuments:
    """Fetches documents, and keeps them for a while."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, dict[str, Any] | str]] = OrderedDict()
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def find(self, client_id: str) -> Mapping[str, Any]:
        """Return the document of a client.

        Raises:
            ClientRefused: There is none, or it cannot be believed.
        """
        parts = _checked(client_id)
        ends, found = self._kept.get(client_id, (0.0, ""))
        if ends < time.monotonic():
            try:
                async with asyncio.timeout(WHOLE_S), self._slots:
                    found, kept_s = await self._fetched(client_id, parts), KEPT_S
            except ClientRefused as refused:
                found, kept_s = str(refused), KEPT_FAILURE_S
            except (TimeoutError, OSError, ValueError, httpx.HTTPError) as error:
                is_slow = isinstance(error, TimeoutError | httpx.TimeoutException)
                reason = "it takes too long" if is_slow else "no server answers"
                found, kept_s = _refusal(client_id, reason), KEPT_FAILURE_S
            self._kept[client_id] = (time.monotonic() + kept_s, found)
            self._kept.move_to_end(client_id)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        if isinstance(found, str):
            raise ClientRefused(found)
        return found

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    async def _fetched(self, client_id: str, parts: SplitResult) -> dict[str, Any]:
        host, port = parts.hostname or "", parts.port or 443
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(each[4][0]).partition("%")[0]) for each in found]
        if not addresses or not all(map(is_public, addresses)):
            raise ClientRefused(_refusal(client_id, "its server is not on the open internet"))
        query = f"?{parts.query}" if parts.query else ""
        target = httpx.URL(
            scheme="https",
            host=str(addresses[0]),
            port=port,
            raw_path=f"{parts.path}{query}".encode(),
        )
        headers = {
            "host": parts.netloc,
            "accept": "application/json",
            "accept-encoding": "identity",
        }
        async with (
            httpx.AsyncClient(verify=self._tls, trust_env=False, timeout=WHOLE_S / 3) as client,
            client.stream(
                "GET", target, headers=headers, extensions={"sni_hostname": host}
            ) as response,
        ):
            if response.status_code != 200:
                raise ClientRefused(
                    _refusal(client_id, f"it is answered with {response.status_code}")
                )
            body = bytearray()
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise ClientRefused(
                        _refusal(client_id, f"it is longer than {MOST_BYTES} bytes")
                    )
        try:
            document = read_json(body.decode("utf-8"))
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise ClientRefused(_refusal(client_id, "it is no JSON object"))
        if document.get("client_id") != client_id:
            raise ClientRefused(_refusal(client_id, "its `client_id` is another one"))
        return document


def _checked(client_id: str) -> SplitResult:
    """Return the parts of an address that can be the id of a client."""
    try:
        parts = urlsplit(client_id)
        _ = parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    is_plain = len(client_id) <= _LONGEST_ID and client_id.isascii() and client_id.isprintable()
    segments = parts.path.split("/")
    if (
        not is_plain
        or not client_id.startswith("https://")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.path in ("", "/")
        or "." in segments
        or ".." in segments
        or any(each in client_id for each in "#\\ ")
    ):
        raise ClientRefused(_refusal(client_id, "it is not an address of a document over https"))
    return parts


def _refusal(client_id: str, reason: str) -> str:
    return (
        f"the assistant says that it is `{printable(client_id, _LONGEST_ID)}` - {reason} - nothing was "
        "connected"
    )
