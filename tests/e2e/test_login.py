"""A login by hand in a headed browser under Xvfb, and the commands that open pages with it."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from webagent_dev.browser.open_site import fresh_page
from webagent_dev.config.saved_sessions import SavedSession

pytestmark = pytest.mark.timeout(300)

LIMIT_S = 60.0

FORM = """<!doctype html><meta charset="utf-8"><title>Log in to the shop</title><form method="post">
<input name="name" autofocus><input name="password" type="password"><button>Log in</button></form>"""

SHOP = """<!doctype html><meta charset="utf-8"><title>Your orders</title><h1>Orders of Ada</h1><script>
localStorage.account = JSON.stringify({ name: "Ada", token: "TOKEN" });
globalThis.myOrders = async () => (await fetch("/orders")).json();
globalThis.order = async (title) =>
  (await fetch("/orders", { method: "POST", body: title })).json();
globalThis.tellAll = async () => {
  console.error("kept: " + localStorage.account);
  return { said: JSON.parse(localStorage.account), also: [localStorage.account] };
};
</script>"""

MANIFEST = """# Shop

Orders of a shop.

## myOrders

List the orders of the visitor.

### Output

`string[]`

### Behavior

- effect: read
- requires login

### Sample Code

```js
await global.myOrders();
```

## order

Order a book.

### Params

- `title` (string, required): Its title.

### Output

`string[]`

### Behavior

- effect: write
- requires login

### Sample Code

```js
await global.order("Tides");
```

## tellAll

Tell what the page knows of the visitor.

### Behavior

- effect: read
- requires login

### Sample Code

```js
await global.tellAll();
```
"""

CASES = [
    {
        "name": "orders",
        "messages": [{"role": "user", "type": "message", "content": "list my orders"}],
        "expectedCall": [{"functionName": "myOrders", "arguments": {}}],
    },
    {
        "name": "all",
        "messages": [{"role": "user", "type": "message", "content": "tell all"}],
        "expectedCall": [{"functionName": "tellAll", "arguments": {}}],
    },
]


class Shop(ThreadingHTTPServer):
    """A site whose pages are for visitors who have logged in, with a cookie and a token."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Visit)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        self.orders = ["Harbour"]
        self.asked: list[tuple[str, str, str]] = []
        """The host, the path and the cookies of each request."""
        self.cookie, self.token = secrets.token_hex(16), secrets.token_hex(20)

    def end_logins(self) -> None:
        """Forget who has logged in."""
        self.cookie = secrets.token_hex(16)


class _Visit(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        sent = self.headers.get("cookie", "")
        self.server.asked.append((self.headers["host"], self.path, sent))
        if self.path == "/webagents.md":
            self._answer(200, MANIFEST, "text/markdown")
        elif self.path == "/login":
            self._answer(200, FORM)
        elif self.path == "/orders" and self._is_known:
            self._answer(200, json.dumps(self.server.orders), "application/json")
        elif self.path == "/orders":
            self._answer(401, "Log in first.")
        elif self._is_known:
            self._answer(200, SHOP.replace("TOKEN", self.server.token))
        else:
            self._lead_to("/login")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/orders" and self._is_known:
            self.server.orders.append(body)
            self._answer(200, json.dumps(self.server.orders), "application/json")
        elif parse_qs(body).get("password") == ["harbour-47"]:
            kept = f"sid={self.server.cookie}; HttpOnly; Path=/; Max-Age=86400"
            self._lead_to("/", kept)
        else:
            self._answer(401, FORM)

    @property
    def _is_known(self) -> bool:
        sent = SimpleCookie(self.headers.get("cookie", ""))
        return "sid" in sent and sent["sid"].value == self.server.cookie

    def _lead_to(self, path: str, cookie: str = "") -> None:
        self.send_response(303)
        self.send_header("location", path)
        if cookie:
            self.send_header("set-cookie", cookie)
        self.end_headers()

    def _answer(self, status: int, text: str, kind: str = "text/html") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing to the terminal of the tests."""


@pytest.fixture(name="shop")
def _shop() -> Iterator[Shop]:
    shop = Shop()
    serving = threading.Thread(target=shop.serve_forever)
    serving.start()
    yield shop
    shop.shutdown()
    serving.join()
    shop.server_close()


@pytest.fixture(name="display", scope="module")
def _display() -> Iterator[str]:
    if not all(map(shutil.which, ("Xvfb", "xdotool"))):
        pytest.skip("Xvfb and xdotool show a browser and type into it (Debian: xvfb, xdotool)")
    reads, writes = os.pipe()
    command = ("Xvfb", "-displayfd", str(writes), "-screen", "0", "1280x900x24", "-nolisten", "tcp")
    process = subprocess.Popen(command, pass_fds=(writes,), stderr=subprocess.DEVNULL)
    os.close(writes)
    with os.fdopen(reads) as said:
        yield f":{said.readline().strip()}"
    process.terminate()
    process.wait()


class Desk:
    """A person's desktop: commands in a terminal, and the keys that are typed into a window."""

    def __init__(self, display: str, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state" / "webagent"
        self.said: list[str] = []
        """All that the commands have written so far."""
        self._environment = {
            **os.environ,
            "DISPLAY": display,
            "XDG_STATE_HOME": str(folder / "state"),
        }

    def hide_display(self) -> None:
        """Run the next commands as behind `ssh`."""
        del self._environment["DISPLAY"]

    def begin(self, *typed: str | Path) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(
            (sys.executable, "-m", "webagent_dev", *map(str, typed)),
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Others could read what has no mode of its own.
            umask=0,
            start_new_session=True,
        )

    def end(self, command: subprocess.Popen[str]) -> tuple[int, str]:
        """Wait for a command; return its exit code and what it has written."""
        said, _ = command.communicate(timeout=120)
        self.said.append(said)
        return command.returncode, said

    def run(self, *typed: str | Path) -> tuple[int, str]:
        """Run a command to its end."""
        return self.end(self.begin(*typed))

    def window(self, title: str) -> str:
        """Wait for a window with a title; return its id."""
        end = time.monotonic() + LIMIT_S
        while not (found := self._xdotool("search", "--name", title).split()):
            assert time.monotonic() < end, f"no window is called {title}"
            time.sleep(0.1)
        return found[-1]

    def type(self, title: str, *keys: str) -> None:
        """Type into a window with a title: texts, and names of keys after a dash."""
        self._xdotool("windowfocus", "--sync", self.window(title))
        for key in keys:
            named = key.startswith("-")
            self._xdotool(*(("key", key[1:]) if named else ("type", "--delay", "20", key)))

    def log_in(self, shop: Shop, name: str = "shop") -> tuple[int, str]:
        """Log in by hand, and close the window."""
        command = self.begin("login", shop.url, "--session", name)
        self.type("Log in to the shop", "ada", "-Tab", "harbour-47", "-Return")
        self.type("Your orders", "-ctrl+w")
        return self.end(command)

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ("xdotool", *words), env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout


@pytest.fixture(name="desk")
def _desk(display: str, tmp_path: Path) -> Desk:
    return Desk(display, tmp_path)


@pytest.mark.conformance
def test_a_login_by_hand_serves_the_commands(desk: Desk, shop: Shop) -> None:
    """Its file is private with any mask; a write is still asked for, and no output has a secret."""
    code, said = desk.log_in(shop)
    assert code == 0, said
    assert f"the session `shop` is kept: {shop.url.rstrip('/')}" in said
    file = desk.state / "sessions" / "shop.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["shop.json"]
    # Else the search below would find nothing in any case.
    assert shop.cookie in file.read_text()
    assert shop.token in file.read_text()

    code, said = desk.run("call", "myOrders", "--site", shop.url)
    assert code != 0, said
    code, said = desk.run("call", "myOrders", "--site", shop.url, "--session", "shop")
    assert (code, json.loads(said)) == (0, ["Harbour"])
    typed = ("call", "tellAll", "--site", shop.url, "--session", "shop", "--format", "json")
    code, said = desk.run(*typed)
    told = json.loads(said)["value"]
    assert told["said"] == {"name": "Ada", "token": "•••"}
    assert told["also"] == ['{"name":"Ada","token":"•••"}']

    at = ("--site", shop.url, "--session", "shop")
    code, said = desk.run("run", "list my orders", *at, "--save-test", "kept")
    assert code == 0, said
    assert "Harbour" in said
    code, said = desk.run("run", "order Tides", *at)
    assert code == 1
    assert "there is no terminal to ask in" in said
    assert shop.orders == ["Harbour"]
    code, said = desk.run("run", "tell all", *at, "--format", "json")
    assert code == 0, said

    code, said = desk.run("sessions")
    assert said.startswith(f"shop  {shop.url.rstrip('/')}, made ")
    code, said = desk.run("sessions", "shop")
    assert "cookie  sid, until " in said
    assert "item    account" in said
    assert not leaks(desk, shop)


@pytest.mark.conformance
@pytest.mark.timeout(600)
def test_a_login_by_hand_serves_tests_and_evaluations(desk: Desk, shop: Shop) -> None:
    """By `--session`, and by `[test] login`; reports of all forms have no secret."""
    assert desk.log_in(shop)[0] == 0
    code, said = desk.run("test", shop.url, "--only", "myOrders")
    assert code != 0, said
    for style in ("full", "json", "html", "junit"):
        typed = () if style == "full" else ("--format", style, "-o", f"report.{style}")
        code, said = desk.run("test", shop.url, "--session", "shop", *typed)
        assert code == 0, said
    tools = json.loads((desk.folder / "report.json").read_text())["tools"]
    verdicts = {tool["name"]: tool["verdict"] for tool in tools}
    assert verdicts == {"myOrders": "passed", "order": "skipped", "tellAll": "passed"}
    assert shop.orders == ["Harbour"]
    (desk.folder / "webagent.toml").write_text('[test.login]\nsession = "shop"\n')
    code, said = desk.run("test", shop.url, "--only", "myOrders")
    assert code == 0, said
    (desk.folder / "cases.json").write_text(json.dumps(CASES))
    for more in ((), ("--smoke",), ("--format", "json", "-o", "evaluation.json")):
        code, said = desk.run("eval", "cases.json", shop.url, "--session", "shop", *more)
        assert code == 0, said
    code, said = desk.run("extract", shop.url, "--session", "shop")
    assert "nothing new was found" in said, said
    code, said = desk.run("check", shop.url, "--session", "shop", "--select", "tool-not-there")
    assert code == 0, said
    assert not leaks(desk, shop)


@pytest.mark.conformance
def test_a_session_that_the_site_has_ended_says_so(desk: Desk, shop: Shop) -> None:
    """The site leads to its form, and the message has the command that logs in again."""
    assert desk.log_in(shop)[0] == 0
    shop.end_logins()
    for command in (
        ("call", "myOrders", "--site", shop.url),
        ("run", "list my orders", "--site", shop.url),
        ("test", shop.url),
    ):
        code, said = desk.run(*command, "--session", "shop")
        assert code == 2, said
        assert "the session `shop` is not logged in any more" in said
        assert f"webagent-dev login {shop.url} --session shop" in said


@pytest.mark.conformance
def test_a_login_that_is_broken_off_keeps_nothing(desk: Desk, shop: Shop) -> None:
    """Ctrl-C reaches the command and its browser at once; nothing was stored before the login."""
    command = desk.begin("login", shop.url, "--session", "shop")
    desk.type("Log in to the shop", "ada", "-Tab", "harbour-47", "-Return")
    desk.window("Your orders")
    os.killpg(command.pid, signal.SIGINT)
    code, said = desk.end(command)
    assert code == 130, said
    assert not (desk.state / "sessions").exists()

    command = desk.begin("login", shop.url, "--session", "shop")
    desk.type("Log in to the shop", "-ctrl+w")
    code, said = desk.end(command)
    assert code == 1
    assert "nothing is kept" in said
    assert not (desk.state / "sessions").exists()


def test_without_a_display_the_remedy_is_named(desk: Desk, shop: Shop) -> None:
    """Of every command that shows a window."""
    desk.hide_display()
    code, said = desk.run("login", shop.url, "--session", "shop")
    assert code == 2
    assert "there is no display here" in said
    assert "xvfb-run" in said


def test_a_cookie_of_a_whole_domain_goes_to_its_origin_alone(shop: Shop) -> None:
    """Not to a host below it that the page loads something from, as it would from the site itself."""
    origin = f"http://shop.localhost:{shop.server_port}"
    below = origin.replace("shop", "cdn.shop")
    cookie = {"name": "sid", "value": shop.cookie, "domain": ".shop.localhost", "path": "/"}
    kept = {"expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    state: Any = {"cookies": [cookie | kept], "origins": []}
    session = SavedSession.of("shop", origin, state)

    async def load() -> str:
        async with fresh_page(f"{origin}/", "", session=session) as (port, _):
            await port.page.evaluate(
                "url => fetch(url, { mode: 'no-cors', credentials: 'include' })", f"{below}/orders"
            )
            return await port.page.title()

    assert asyncio.run(load()) == "Your orders"
    assert (f"cdn.shop.localhost:{shop.server_port}", "/orders", "") in shop.asked
    assert (f"shop.localhost:{shop.server_port}", "/", f"sid={shop.cookie}") in shop.asked


def leaks(desk: Desk, shop: Shop) -> list[str]:
    """Return where a secret of the login is found, but for the file of the session itself."""
    texts = {f"output {number}": said for number, said in enumerate(desk.said)}
    for path in desk.folder.rglob("*"):
        if path.is_file() and path.parent.name != "sessions":
            texts[str(path)] = path.read_bytes().decode("utf-8", "replace")
    secret = (shop.cookie, shop.token, "harbour-47")
    return [name for name, text in texts.items() if any(one in text for one in secret)]
