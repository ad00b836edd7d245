"""The note by which other programs find a running server, and the token in it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.conftest import INDEX
from tests.server import ServerProcess, serving
from webagent_dev.config.credentials import CODE_S
from webagent_dev.config.owner import TOKEN_S, Owner, read_note
from webagent_dev.config.process import of_ps, process_start
from webagent_site.config.folders import state_folder

MENDS: list[Callable[[dict[str, Any]], Any]] = [
    lambda note: {**note, "owner_token": "short"},
    lambda note: {**note, "owner_token": "a b" * 20},
    lambda note: {**note, "owner_token": "\ud800" * 40},
    lambda note: {**note, "owner_token": ["x" * 40]},
    lambda note: {**note, "owner_token": "x" * 43},
    lambda note: {**note, "token_made_s": "0"},
    lambda note: {**note, "token_made_s": True},
    lambda note: {**note, "process_start": 12},
    lambda note: {**note, "earlier": [{"pid": "12"}]},
    lambda note: {**note, "earlier": "12"},
    lambda note: {**note, "root": "/another"},
    lambda note: {**note, "pid": "12"},
    lambda note: {**note, "url": 8000},
    lambda note: {"root": note["root"]},
    lambda note: [note],
    lambda _: None,
]


@pytest.fixture(name="state", autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "webagent"


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    root = (tmp_path / "site").resolve()
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    return root


def said(owner: Owner) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(owner.path.read_text("utf-8"))
    return data


def test_the_note_is_for_its_owner_alone(site: Path, state: Path) -> None:
    """The file has mode 0600, its folder 0700, and nothing else lies there."""
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")

    assert stat.S_IMODE(owner.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert list(state.iterdir()) == [owner.path]
    assert len(owner.token) >= 43


def test_the_token_stays_over_restarts_and_is_another_for_another_root(site: Path) -> None:
    """Clients are set up once; one site's token opens no other."""
    first = Owner(site)
    first.announce("http://127.0.0.1:8000/")
    first.withdraw()

    assert Owner(site).token == first.token
    assert Owner(site.parent).token != first.token


def test_the_note_says_where_the_server_is_as_long_as_it_runs(site: Path) -> None:
    """While no server runs, it has the token and no URL."""
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")
    running = read_note(site)
    owner.withdraw()
    ended = read_note(site)

    assert running
    assert (running.pid, running.url) == (os.getpid(), "http://127.0.0.1:8000/")
    assert ended
    assert (ended.pid, ended.url, ended.started) == (None, None, None)
    assert ended.owner_token == running.owner_token


def test_a_server_leaves_the_note_of_another_one_alone(site: Path) -> None:
    """Of two servers of one root the later one is found, also after the first has ended."""
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")
    later = {**said(owner), "pid": os.getpid() + 1, "url": "http://127.0.0.1:8001/"}
    owner.path.write_text(json.dumps(later))
    owner.withdraw()

    assert said(owner) == later


@pytest.mark.process
def test_a_server_that_ran_before_is_found_again(site: Path) -> None:
    """The later of two says that there is another, and gives the note back at its end."""
    with subprocess.Popen(["sleep", "60"]) as process:
        owner = Owner(site)
        owner.announce("http://127.0.0.1:8000/")
        start = process_start(process.pid)
        before = {**said(owner), "pid": process.pid, "process_start": start}
        owner.path.write_text(json.dumps(before))
        later = Owner(site)

        assert later.announce("http://127.0.0.1:8001/") == "http://127.0.0.1:8000/"
        assert said(owner)["url"] == "http://127.0.0.1:8001/"
        later.withdraw()
        assert said(owner) == before

        assert later.announce("http://127.0.0.1:8001/") == "http://127.0.0.1:8000/"
        process.kill()
        process.wait()
        later.withdraw()
        assert said(owner)["url"] is None


@pytest.mark.parametrize("mend", MENDS)
def test_an_invalid_note_is_ignored(site: Path, mend: Callable[[Any], Any]) -> None:
    """A new token takes its place."""
    owner = Owner(site)
    before = owner.token
    owner.path.write_text(json.dumps(mend(said(owner))))

    assert read_note(site) is None
    assert Owner(site).token != before


@pytest.mark.parametrize(
    "garbage", [b"", b"{", b"\xff\xfe", b"[" * 60_000, b"9" * 6_000, b"x" * 70_000]
)
def test_garbage_is_ignored(site: Path, garbage: bytes) -> None:
    """Deep nesting, invalid bytes, endless numbers, the start of a long file."""
    owner = Owner(site)
    owner.path.write_bytes(garbage)

    assert read_note(site) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622])
def test_a_note_that_others_can_read_or_write_is_ignored(site: Path, mode: int) -> None:
    """Its token may be known; the new one is readable by the owner alone again."""
    owner = Owner(site)
    before = owner.token
    owner.path.chmod(mode)
    assert read_note(site) is None
    again = Owner(site)

    assert again.token != before
    assert stat.S_IMODE(again.path.stat().st_mode) == 0o600


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away"
)
def test_a_note_of_another_user_is_ignored(site: Path) -> None:
    """That user would know the token."""
    owner = Owner(site)
    os.chown(owner.path, 12_345, -1)

    assert read_note(site) is None


def test_an_unwritable_state_folder_is_reported(site: Path, state: Path) -> None:
    """The server has a token all the same."""
    state.parent.mkdir()
    state.write_text("a file where the folder should be")
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")
    owner.withdraw()

    assert owner.token
    assert owner.problem
    assert owner.problem.startswith(f"`{owner.path}` cannot be written - ")


@pytest.mark.parametrize("home", ["", "relative/state"])
def test_a_relative_state_folder_is_ignored(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the base directory specification has it."""
    monkeypatch.setenv("XDG_STATE_HOME", home)

    assert state_folder().is_absolute()


def test_a_server_is_found_while_it_runs_and_withdrawn_at_its_end(site: Path, state: Path) -> None:
    """Ctrl-C takes the address out of the note; a second server of the root keeps its own in it."""
    environment = {"XDG_STATE_HOME": str(state.parent)}
    with serving(site, environment=environment) as first:
        found = read_note(site)
        assert found
        assert found.url == f"{first.url}/"
        with serving(site, environment=environment) as second:
            first.stop()
            found = read_note(site)
            assert found
            assert found.url == f"{second.url}/"
    ended = read_note(site)
    assert ended
    assert ended.url is None


def test_a_server_without_a_state_folder_reports_it_and_serves(site: Path, state: Path) -> None:
    """A warning in the terminal, no more."""
    state.parent.mkdir()
    state.write_text("a file where the folder should be")
    server = ServerProcess(site, environment={"XDG_STATE_HOME": str(state.parent)})
    try:
        server.wait_for_output(
            r"owner +`.+` cannot be written - .+ - other programs do not find this"
        )
    finally:
        server.stop()


@pytest.mark.process
def test_the_url_of_a_killed_server_is_ignored(site: Path) -> None:
    """Somebody else may have its port by now, and is not shown the token."""
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    owner.path.write_text(json.dumps({**said(owner), "pid": ended.pid}), encoding="utf-8")
    note = read_note(site)

    assert note is not None
    assert (note.owner_token, note.pid, note.url) == (owner.token, None, None)


@pytest.mark.process
def test_a_process_with_the_number_of_a_killed_server_is_not_the_server(site: Path) -> None:
    """It runs, and started at another time than the server of the note."""
    owner = Owner(site)
    owner.announce("http://127.0.0.1:8000/")
    with subprocess.Popen(["sleep", "60"]) as other:
        owner.path.write_text(json.dumps({**said(owner), "pid": other.pid}), encoding="utf-8")
        note = read_note(site)
        other.kill()

    assert note is not None
    assert (note.pid, note.url) == (None, None)


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="there is no `ps`")
@pytest.mark.parametrize("start_of", [process_start, of_ps])
def test_the_start_of_a_process_is_known_while_it_runs(start_of: Callable[[int], Any]) -> None:
    """By the way of this system and by `ps`; a zombie has ended."""
    mine = start_of(os.getpid())
    with subprocess.Popen(["sleep", "60"]) as other:
        running = start_of(other.pid)
        again = start_of(other.pid)
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        zombie = start_of(other.pid)

    assert mine
    assert mine == start_of(os.getpid())
    assert running == again
    assert running
    assert running != mine or start_of is of_ps
    assert zombie is None
    assert start_of(other.pid) is None


@pytest.mark.process
def test_the_end_of_later_servers_hides_no_earlier_one(site: Path) -> None:
    """Of three, the first is found after the others have ended in any order, or were killed."""
    with (
        subprocess.Popen(["sleep", "60"]) as first,
        subprocess.Popen(["sleep", "60"]) as second,
    ):
        owner = Owner(site)
        for process, url in ((first, "http://127.0.0.1:1/"), (second, "http://127.0.0.1:2/")):
            owner.announce(url)
            start = process_start(process.pid)
            mine = {**said(owner), "pid": process.pid, "process_start": start}
            owner.path.write_text(json.dumps(mine), encoding="utf-8")
        third = Owner(site)
        assert third.announce("http://127.0.0.1:3/") == "http://127.0.0.1:2/"
        second.kill()
        second.wait()
        third.withdraw()
        found = read_note(site)
        first.kill()

    assert found is not None
    assert (found.pid, found.url) == (first.pid, "http://127.0.0.1:1/")


def test_a_token_is_replaced_after_a_month(site: Path) -> None:
    """By whichever program needs it next; a server that runs follows."""
    server = Owner(site)
    server.announce("http://127.0.0.1:8000/")
    before = server.token
    made = {**said(server), "token_made_s": said(server)["token_made_s"] - TOKEN_S}
    server.path.write_text(json.dumps(made), encoding="utf-8")
    command = Owner(site)
    found = read_note(site)

    assert command.token != before
    assert server.token == command.token
    assert found
    assert found.url == "http://127.0.0.1:8000/"


def test_a_token_of_the_future_is_replaced(site: Path) -> None:
    """A clock that was wrong for a moment makes no token that lasts for ever."""
    owner = Owner(site)
    before = owner.token
    made = {**said(owner), "token_made_s": 10**12}
    owner.path.write_text(json.dumps(made), encoding="utf-8")

    assert Owner(site).token != before
    assert read_note(site).has_valid_token  # type: ignore[union-attr]


def test_a_replaced_token_is_replaced_in_running_servers(site: Path) -> None:
    """And a server that writes the note later does not bring the old one back."""
    server, other = Owner(site), Owner(site)
    server.announce("http://127.0.0.1:8000/")
    before, code = server.token, server.new_code()
    other.replace_token()
    late = Owner(site)
    server.withdraw()

    assert before != other.token == server.token == late.token == said(server)["owner_token"]
    assert server.token_for(code) is None


def test_a_code_is_exchanged_once_and_soon(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not twice, not late, not an empty or unknown one; old ones make room for others."""
    owner = Owner(site)
    code, first = owner.new_code(), owner.new_code()
    used = owner.token_for(code)
    again = owner.token_for(code)
    for _ in range(40):
        owner.new_code()
    crowded = owner.token_for(first)
    now_s = time.monotonic()
    late = owner.new_code()
    monkeypatch.setattr(time, "monotonic", lambda: now_s + CODE_S + 1)

    assert used == owner.token
    assert (again, crowded) == (None, None)
    assert owner.token_for(late) is None
    assert owner.token_for("") is None
    assert len(code) >= 32
