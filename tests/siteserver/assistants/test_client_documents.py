"""Documents of assistants: what is fetched, and what this server cannot be made to do."""

from __future__ import annotations

import asyncio
import socket
import time
from ipaddress import ip_address
from typing import Any

import pytest

from tests.local_ca import Documents, LocalCa, documents
from tests.siteserver.assistants.conftest import describe
from webagent_site.assistants import client_documents
from webagent_site.assistants.client_documents import ClientDocuments, ClientRefused, is_public

JSON = {"content-type": "application/json"}


async def refusal(client_id: str) -> str:
    """Why a document is refused."""
    with pytest.raises(ClientRefused) as caught:
        await ClientDocuments().find(client_id)
    return str(caught.value)


async def test_a_document_is_fetched_once(served: Documents) -> None:
    """By the name of its server, and kept for a while."""
    client_id, kept = describe(served), ClientDocuments()
    first = await kept.find(client_id)
    second = await kept.find(client_id)

    assert first == second
    assert first["client_name"] == "Reading helper"
    assert served.asked == ["/client.json"]


@pytest.mark.parametrize(
    "client_id",
    [
        "http://client.example/id.json",
        "https://client.example",
        "https://client.example/",
        "https://user@client.example/id.json",
        "https://user:password@client.example/id.json",
        "https://client.example/id.json#part",
        "https://client.example/../id.json",
        "https://client.example/./id.json",
        "https://client.example:99999/id.json",
        "https://client.example\\@evil.example/id.json",
        "https://client.example/id .json",
        "https://client.example/id\n.json",
        "https:///id.json",
        "https://[::1/id.json",
        "https://bücher.example/id.json",
        "HTTPS://client.example/id.json",
        "file:///etc/passwd",
        "ftp://client.example/id.json",
        "",
        "https://client.example/" + "x" * 500,
    ],
)
async def test_only_plain_addresses_over_https_are_looked_up(client_id: str) -> None:
    """Nothing is sent for others."""
    assert "not an address of a document over https" in await refusal(client_id)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.1.2.3",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "::ffff:93.184.216.34",
        "::10.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2002:a00:1::1",
        "2001:db8::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ],
)
async def test_no_other_address_than_a_public_one_is_reached(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written as it is, or found for a name, alone or beside a public one."""
    assert not is_public(ip_address(address))
    shown = f"[{address}]" if ":" in address else address
    assert "not on the open internet" in await refusal(f"https://{shown}/id.json")

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    loop = asyncio.get_running_loop()
    for found in ([address], ["93.184.216.34", address]):

        async def looked_up(*_: Any, found: list[str] = found, **__: Any) -> Any:
            return [(family, socket.SOCK_STREAM, 6, "", (each, 443)) for each in found]

        monkeypatch.setattr(loop, "getaddrinfo", looked_up)
        assert "not on the open internet" in await refusal("https://client.example/id.json")


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111"])
def test_public_addresses_are_public(address: str) -> None:
    """Of both versions."""
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "client_id",
    [
        "https://localhost/id.json",
        "https://127.1/id.json",
        "https://2130706433/id.json",
        "https://0x7f.1/id.json",
    ],
)
async def test_a_name_that_leads_here_is_refused(client_id: str) -> None:
    """Looked up as the system does, which knows odd ways to write an address."""
    assert "not on the open internet" in await refusal(client_id)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(served: Documents, status: int) -> None:
    """Wherever it leads."""
    describe(served, "/other.json")
    served.answers["/client.json"] = (status, {"location": "/other.json"}, b"")

    assert f"answered with {status}" in await refusal(f"{served.url}/client.json")
    assert served.asked == ["/client.json"]


async def test_the_document_names_its_own_address(served: Documents) -> None:
    """Else anybody could serve that of another."""
    client_id = describe(served, client_id="https://client.example/id.json")

    assert "`client_id` is another one" in await refusal(client_id)


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, b"{}", "answered with 404"),
        (500, b"{}", "answered with 500"),
        (200, b"", "no JSON object"),
        (200, b"[]", "no JSON object"),
        (200, b"{", "no JSON object"),
        (200, b"\xff\xfe", "no JSON object"),
        (200, b'{"a":' * 5_000, "longer than"),
        (200, b" " * 20_000 + b"{}", "longer than"),
    ],
)
async def test_another_answer_is_refused(
    served: Documents, status: int, body: bytes, reason: str
) -> None:
    """In one sentence."""
    served.answers["/client.json"] = (status, JSON, body)

    assert reason in await refusal(f"{served.url}/client.json")


async def test_deep_json_is_refused(served: Documents) -> None:
    """It is no document either."""
    served.answers["/client.json"] = (200, JSON, b"[" * 7_000 + b"]" * 7_000)

    assert "no JSON object" in await refusal(f"{served.url}/client.json")


@pytest.mark.parametrize("encoding", ["gzip", "br"])
async def test_a_compressed_document_is_not_unpacked(served: Documents, encoding: str) -> None:
    """So it cannot grow."""
    client_id = describe(served)
    body = served.answers["/client.json"][2]
    served.answers["/client.json"] = (200, {**JSON, "content-encoding": encoding}, body)

    # The bytes are read as they were sent.
    assert (await ClientDocuments().find(client_id))["client_id"] == client_id


async def test_a_slow_server_holds_nobody_up(
    served: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one that never answers; another try has to wait."""
    monkeypatch.setattr(client_documents, "WHOLE_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client_id = f"https://localhost:{silent.getsockname()[1]}/id.json"
        kept = ClientDocuments()
        began = time.monotonic()
        for _ in range(3):
            with pytest.raises(ClientRefused, match="too long"):
                await kept.find(client_id)

    assert time.monotonic() - began < 1.5


async def test_a_certificate_is_for_the_name(ca: LocalCa, served: Documents) -> None:
    """Not for the address that was reached, and not for another name."""
    with documents(ca, "other.example") as other:
        port = other.url.rpartition(":")[2]
        assert "no server answers" in await refusal(f"https://localhost:{port}/client.json")
    assert other.asked == []
    assert served.asked == []


async def test_no_authority_of_others_is_believed(
    served: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate of the server has to be known."""
    monkeypatch.delenv("SSL_CERT_FILE")

    assert "no server answers" in await refusal(describe(served))
    assert served.asked == []


async def test_the_environment_names_no_proxy(
    served: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would connect to another address than was checked."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert (await ClientDocuments().find(describe(served)))["client_name"]


async def test_documents_are_kept_up_to_a_number(
    served: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is asked for again."""
    monkeypatch.setattr(client_documents, "_MOST_KEPT", 2)
    kept = ClientDocuments()
    for number in (1, 2, 3, 1):
        await kept.find(describe(served, f"/{number}.json"))

    assert served.asked == ["/1.json", "/2.json", "/3.json", "/1.json"]
