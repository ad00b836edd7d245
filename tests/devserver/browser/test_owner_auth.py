"""The owner's token leaves a command only for a server that knows it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from click.testing import CliRunner

from tests.devserver.conftest import INDEX
from tests.page_client import PLAIN, owner_token
from tests.server import Server, hosting, serving
from tests.upstream import Asked, RawServer, listening, reply
from webagent_dev.browser.owner_auth import PROOF_S, OtherServer, OwnerAuth
from webagent_dev.browser.running_server import RunningServer
from webagent_dev.cli.main import main
from webagent_dev.config.credentials import proof_of
from webagent_dev.config.owner import Note, Owner, read_note


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    root = (tmp_path / "site").resolve()
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    return root


@pytest.fixture(name="server")
def _server(site: Path) -> Iterator[Server]:
    with hosting(site) as server:
        yield server


@pytest.fixture(name="foreign")
def _foreign() -> Iterator[RawServer]:
    """A program that is not our server, at the address of the note."""
    with listening() as server:
        yield server


def noted(root: Path, url: str) -> Note:
    """Return the note of a root after a server of this process was announced at an address."""
    Owner(root).announce(url)
    note = read_note(root)
    assert note
    assert note.url == url
    return note


def proof(text: object) -> Callable[[Asked, socket.socket], None]:
    """Answer with a proof."""
    body = json.dumps({"proof": text}).encode()
    return reply(f"HTTP/1.1 200 OK\nContent-Length: {len(body)}", body)


async def state(note: Note) -> dict[str, object]:
    """Ask a server for its state, as a command does."""
    async with RunningServer(note) as running:
        return await running.state()


def of_another_nonce(asked: Asked, connection: socket.socket) -> None:
    """Answer as if another nonce had been sent: what was right before is not right again."""
    proof(proof_of("x", "y", 1))(asked, connection)


def echoed(asked: Asked, connection: socket.socket) -> None:
    """Answer with the nonce itself."""
    proof(parse_qs(urlsplit(asked.line.split()[1]).query)["nonce"][0])(asked, connection)


ANSWERS = {
    "the page of another program": reply("HTTP/1.1 200 OK\nContent-Length: 2", b"hi"),
    "another proof": of_another_nonce,
    "the nonce": echoed,
    "no text": proof(["x"]),
    "half of a character": proof("\ud800"),
    "an empty one": proof(""),
    "a list": reply("HTTP/1.1 200 OK\nContent-Length: 2", b"[]"),
    "a redirect": reply("HTTP/1.1 302 Found\nLocation: /\nContent-Length: 0"),
    "an old server of ours": reply("HTTP/1.1 401 Unauthorized\nContent-Length: 0"),
    "a length without end": reply("HTTP/1.1 200 OK\nContent-Length: 99999999999999", b"{}"),
    "no length": reply("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", b"2\r\n{}\r\n0\r\n\r\n"),
    "an interim answer": reply("HTTP/1.1 100 Continue"),
    "nothing": lambda _, connection: connection.close(),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_another_program_at_the_address_is_sent_no_token(
    site: Path, foreign: RawServer, answer: Callable[[Asked, socket.socket], None]
) -> None:
    """With any answer, commands report that no server runs."""
    foreign.answer = answer
    note = noted(site, f"{foreign.url}/")

    assert await state(note) == {}
    assert foreign.asked
    for asked in foreign.asked:
        assert asked.one("authorization") is None
        assert note.owner_token not in f"{asked.line}{asked.headers}{asked.body!r}"
        assert asked.line.startswith("GET /__webagent__/api/proof?nonce=")


async def test_a_program_that_never_answers_is_given_up(
    site: Path, foreign: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then does not make it last."""
    monkeypatch.setattr("webagent_dev.browser.owner_auth.PROOF_S", 0.3)
    ended = threading.Event()

    def drip(_: Asked, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
        with contextlib.suppress(OSError):
            while not ended.wait(0.1):
                connection.sendall(b" ")

    foreign.answer = drip
    async with asyncio.timeout(PROOF_S * 2):
        assert await state(noted(site, f"{foreign.url}/")) == {}
    ended.set()


async def test_a_program_cannot_have_our_server_prove_itself_for_it(
    site: Path, server: Server, foreign: RawServer
) -> None:
    """The port is part of the proof: passing the nonce on to the real server is of no use."""
    note = noted(site, f"{foreign.url}/")
    passed: list[int] = []

    def pass_on(asked: Asked, connection: socket.socket) -> None:
        answer = httpx.get(server.url + asked.line.split()[1], verify=PLAIN)
        passed.append(answer.status_code)
        proof(answer.json()["proof"])(asked, connection)

    foreign.answer = pass_on

    assert await state(note) == {}
    assert passed == [200]
    assert all(asked.one("authorization") is None for asked in foreign.asked)


async def test_a_server_with_the_token_of_the_note_is_sent_it(site: Path, server: Server) -> None:
    """And one with another token is not: the note of another root does not open this one."""
    note = read_note(site)
    assert note

    assert (await state(note))["root"] == str(site)
    other = Note(owner_token=Owner(site.parent).token, root=str(site), url=f"{server.url}/")
    async with httpx.AsyncClient(auth=OwnerAuth(other), verify=PLAIN) as client:
        with pytest.raises(
            OtherServer, match=r"another program answers at .* - it was sent nothing"
        ):
            await client.get(f"{server.url}/__webagent__/api/state")


def test_a_proof_needs_a_nonce_of_the_right_size(server: Server) -> None:
    """And shows nothing of the token."""
    for nonce in ("", "short", "x" * 129, "ä" * 40, "x" * 40 + "%00"):
        answer = httpx.get(f"{server.url}/__webagent__/api/proof?nonce={nonce}", verify=PLAIN)
        assert answer.status_code == 400
    answer = httpx.get(f"{server.url}/__webagent__/api/proof?nonce={'x' * 40}", verify=PLAIN)
    token = owner_token(server)

    assert answer.json() == {"proof": proof_of(token, "x" * 40, urlsplit(server.url).port or 0)}
    assert token not in answer.text


@pytest.mark.process
def test_after_a_kill_the_program_at_the_port_gets_nothing(site: Path) -> None:
    """Neither from `token` nor from any other command, though the note still has the address."""
    with serving(site) as server:
        note = json.loads(Owner(site).path.read_text("utf-8"))
        port = urlsplit(server.url).port
        server.kill()
        foreign = RawServer(port or 0)
        try:
            assert json.loads(Owner(site).path.read_text("utf-8")) == note
            said = CliRunner().invoke(main, ["token", str(site)]).stderr
            assert said.endswith("is running, so there is no link\n")
            assert not foreign.asked
            # Even if a process of the note runs, the program at the port has to prove itself.
            Owner(site).announce(note["url"])
            results = [
                CliRunner().invoke(main, [*words, str(site)])
                for words in (("token",), ("connect", "cursor"), ("token", "--open"))
            ]
            listed = CliRunner().invoke(main, ["run", "x", "--site", str(site), "--tab", "a"])
        finally:
            foreign.close()

    assert [result.exit_code for result in results] == [0, 0, 2]
    assert "no server of" in listed.output
    assert len(foreign.asked) >= 3
    assert all(asked.one("authorization") is None for asked in foreign.asked)
    assert all(note["owner_token"] not in str(asked) for asked in foreign.asked)


def test_the_token_command_prints_a_link_that_opens_once(site: Path, server: Server) -> None:
    """Standard output has the token alone; the link does not hold it, and is not the same twice."""
    result = CliRunner().invoke(main, ["token", str(site)])
    again = CliRunner().invoke(main, ["token", str(site)])
    token = owner_token(server)
    address, _, code = result.stderr.splitlines()[0].removeprefix("inspector: ").partition("#code=")
    exchange = f"{server.url}/__webagent__/api/token"
    first, second = (httpx.post(exchange, json={"code": code}, verify=PLAIN) for _ in range(2))

    assert result.stdout == f"{token}\n"
    assert address == f"{server.url}/__webagent__/"
    assert token not in result.stderr
    assert "opens once, within 10 minutes" in result.stderr
    assert code not in again.stderr
    assert (first.status_code, first.json()) == (200, {"token": token})
    assert first.headers["cache-control"] == "no-store"
    assert second.status_code == 401
    assert "was used already" in second.json()["error"]["message"]


def test_the_token_command_reports_that_no_server_runs(site: Path) -> None:
    """A token of the wrong folder opens nothing, so the folder is named."""
    result = CliRunner().invoke(main, ["token", str(site)])

    assert result.exit_code == 0
    assert result.stderr == f"no server of `{site}` is running, so there is no link\n"


async def test_a_new_token_ends_the_old_one(site: Path, server: Server) -> None:
    """In the running server: for requests, for open streams, and for links that were printed."""
    old = owner_token(server)
    api = f"{server.url}/__webagent__/api"
    bearer = {"authorization": f"Bearer {old}"}
    async with httpx.AsyncClient(verify=PLAIN, headers=bearer, timeout=30) as client:
        code = (await client.post(f"{api}/codes")).json()["code"]
        async with client.stream("GET", f"{api}/events") as events:
            lines = events.aiter_lines()
            assert (await anext(lines)).startswith("event: ")
            result = await asyncio.to_thread(
                CliRunner().invoke, main, ["token", "--new", str(site)]
            )
            # Anything that happens would be the next event.
            (site / "webagents.md").write_text("# Site\n\nA site.\n", "utf-8")
            rest = [line async for line in lines]
        late = await client.get(f"{api}/state")
        used = await client.post(f"{api}/token", json={"code": code})
    new = result.stdout.strip()

    assert new == owner_token(server) != old
    assert not any('revision": 1' in line for line in rest)
    assert (late.status_code, used.status_code) == (401, 401)
    async with RunningServer(read_note(site)) as running:  # type: ignore[arg-type]
        assert "pages" in await running.state()


def test_no_other_site_exchanges_a_code(site: Path, server: Server) -> None:
    """It is a request like any other to the guard, and is JSON."""
    code = CliRunner().invoke(main, ["token", str(site)]).stderr.split("#code=")[1].split()[0]
    exchange = f"{server.url}/__webagent__/api/token"
    refused = [
        httpx.post(exchange, json={"code": code}, headers=headers, verify=PLAIN).status_code
        for headers in (
            {"origin": "http://evil.example"},
            {"sec-fetch-site": "cross-site"},
            {"host": "evil.example"},
            {"content-type": "text/plain"},
        )
    ]

    assert refused == [403, 403, 421, 415]
    assert httpx.post(exchange, json={"code": code}, verify=PLAIN).status_code == 200
