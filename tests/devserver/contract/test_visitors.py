"""Tools for visitors who are signed in, on other pages, or in parts of a page: found, or not blamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.contract.kit import World, failed, manifest, one, proof, prove, tool
from webagent.errors import Navigated
from webagent.page.fakes import FakePage
from webagent.page.offers import Offers
from webagent_dev.config.saved_sessions import SavedSession
from webagent_dev.config.toml_file import LoginSession, LoginTool
from webagent_dev.contract.harness import PageEvent, PageEventKind, UntaggedForm
from webagent_dev.contract.permission import Permission
from webagent_dev.contract.sign_in import Login, login_of
from webagent_dev.reports.content import Verdict
from webagent_site.errors import UsageError

Functions = dict[str, Callable[..., Any]]


class Application(FakePage):
    """A single-page application: functions come and go with its path and its visitor."""

    signed_in = False

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what is there now."""
        self.functions = {"one": lambda: 1}
        if not self.signed_in:
            self.functions["login"] = self.login
        if self.signed_in and self.address == "/":
            self.functions["orders"] = lambda: ["a"]
        if self.address.startswith("/repairs/"):
            self.functions["repair"] = lambda: self.address
        return await super().offers(functions)

    def login(self, name: str, pin: str) -> None:
        """Sign in."""
        if pin != "47110815":
            raise ValueError(f"the pin {pin} is wrong")
        self.signed_in = True


def application(_: World) -> Functions:
    """Its functions come with its path."""
    return {}


LOGIN = tool(
    "login",
    "- `name` (string, required)\n- `pin` (string, required)",
    "",
    'await global.login("Ada", "47110815");',
    "effect: write",
)
ORDERS = tool("orders", "", "string[]", "await global.orders();", "effect: read; requires login")
REPAIR = tool("repair", "", "string", "await global.repair();", "effect: read; paths: /repairs/*")
ADA = Login(tool="login", arguments={"name": "Ada", "pin": "47110815"})


async def test_a_tool_that_comes_with_a_login_is_not_missing() -> None:
    """Without `[test] login` it is reported as such, with it it is proven."""
    text = manifest(LOGIN, ORDERS)
    alone = await prove(text, World(application, kind=Application))
    signed_in = await prove(text, World(application, kind=Application), login=ADA)

    assert alone.ok
    assert [t.verdict for t in alone.tools] == [Verdict.SKIPPED, Verdict.NEEDS_LOGIN]
    assert one(alone, "orders").allow == "`[test] login` in webagent.toml"
    assert one(signed_in, "orders").verdict is Verdict.PASSED
    assert "47110815" not in json.dumps(signed_in.to_dict())


async def test_a_login_may_need_what_its_page_loads_late() -> None:
    """One that fails is tried once more, when the page has loaded everything."""

    class Slow(Application):
        asked = 0

        def login(self, name: str, pin: str) -> None:
            """Sign in, when the accounts are loaded."""
            self.asked += 1
            if self.asked == 1:
                raise ValueError("nobody has this name")
            super().login(name, pin)

    report = await prove(manifest(LOGIN, ORDERS), World(application, kind=Slow), login=ADA)

    assert one(report, "orders").verdict is Verdict.PASSED


async def test_a_login_that_is_not_declared_is_tried_and_noted() -> None:
    """The remark has the line to write."""
    undeclared = ORDERS.replace("\n- requires login", "")
    world = World(application, kind=Application)
    report = await prove(manifest(LOGIN, undeclared), world, login=ADA)

    assert one(report, "orders").verdict is Verdict.PASSED
    assert "`- requires login`" in proof(report, "exists", "orders").remarks[0]
    world = World(application, kind=Application)
    assert failed(await prove(manifest(LOGIN, undeclared), world), "orders") == ["exists"]


async def test_a_saved_state_signs_in() -> None:
    """The page is opened with it, and no tool is called."""
    world = World(application, kind=Application)

    def sign_in(page: FakePage) -> None:
        assert isinstance(page, Application)
        page.signed_in = True

    world.harness.sign_in = sign_in
    report = await prove(manifest(ORDERS), world, login=Login(storage_state={}))

    assert one(report, "orders").verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("login", "words"),
    [
        (Login(tool="login", arguments={"name": "Ada", "pin": "0815"}), "the pin ••• is wrong"),
        (Login(tool="enter", arguments={}), "has no tool `enter`"),
    ],
)
async def test_a_login_that_fails_ends_the_test(login: Login, words: str) -> None:
    """With the reason, and without the password."""
    world = World(application, kind=Application)
    with pytest.raises(UsageError) as error:
        await prove(manifest(LOGIN, ORDERS), world, login=login)

    assert words in str(error.value)
    assert "0815" not in str(error.value)


async def test_a_page_of_a_pattern_is_found_by_links_or_by_an_example() -> None:
    """Without either, the report has the line to write, and blames nobody."""
    alone = await prove(manifest(REPAIR), World(application, kind=Application))
    linked = World(application, kind=Application)
    linked.harness.linked = ["/about", "/repairs/logout", "/repairs/7"]
    found = await prove(manifest(REPAIR), linked)
    paths = {"/repairs/*": "/repairs/12"}
    given = World(application, kind=Application)
    by_example = await prove(manifest(REPAIR), given, paths=paths)

    assert alone.ok
    assert alone.is_empty
    assert alone.tools[0].verdict is Verdict.SKIPPED
    assert '`"/repairs/*" = "/repairs/1"` under `[test.paths]`' in alone.tools[0].allow
    assert found.tools[0].verdict is Verdict.PASSED
    assert "/repairs/logout" not in linked.harness.opened
    assert by_example.tools[0].verdict is Verdict.PASSED
    assert "/repairs/12" in given.harness.opened


async def test_a_tool_of_another_page_is_found_without_paths() -> None:
    """It is proven there; the remark has the line to write."""
    world = World(application, kind=Application)
    world.harness.linked = ["/about", "/repairs/7"]
    text = manifest(REPAIR.replace("\n- paths: /repairs/*", ""))
    report = await prove(text, world)

    assert report.tools[0].verdict is Verdict.PASSED
    assert "write `- paths: /repairs/7`" in proof(report, "exists").remarks[0]


async def test_a_tool_of_a_closed_part_is_found() -> None:
    """As a visitor finds it who opens a menu."""
    functions: Functions = {}
    world = World(lambda _: functions)

    def opened() -> None:
        world.harness.open_page.page.functions["late"] = lambda: 1

    world.harness.closed = {"Plan": opened}
    report = await prove(manifest(tool("late", "", "number", "await global.late();")), world)

    assert report.ok
    assert report.tools[0].verdict is Verdict.PASSED


async def test_a_form_that_is_not_a_tool_gets_the_remedy_for_forms() -> None:
    """The attributes to write, and where."""
    world = World(lambda _: {})
    world.harness.untagged = [UntaggedForm(("", "", "sendMessage"), '<form action="/contact">')]
    text = manifest(tool("sendMessage", "- `text` (string)"), tool("list"))
    report = await prove(text, world)
    message = proof(report, "exists", "sendMessage").message

    assert (
        'write `toolname="sendMessage" tooldescription="…"` into `<form action="/contact">`'
        in message
    )
    assert "`toolautosubmit`" in message
    assert "toolname" not in proof(report, "exists", "list").message


def leaving(world: World, path: str) -> None:
    """Let the page of a site lead to another document."""
    world.harness.open_page.page.address = path
    world.pending_events.append(PageEvent(PageEventKind.NAVIGATION, f"https://shop.example{path}"))


@pytest.mark.parametrize(
    ("output", "faults"),
    [("", []), ("void", []), ("{ ok: true } | undefined", []), ("{ ok: true }", ["result"])],
)
async def test_a_tool_that_navigates_is_a_tool_that_navigates(
    output: str, faults: list[str]
) -> None:
    """The page that comes is in the report; only an answer that is promised is missed."""

    def make(world: World) -> Functions:
        def go() -> None:
            leaving(world, "/next")
            raise Navigated("the page was left")

        return {"go": go}

    report = await prove(manifest(tool("go", "", output, "await global.go();")), World(make))

    assert failed(report) == faults
    assert "leads to https://shop.example/next" in proof(report, "exists").remarks[0]


async def test_a_call_that_leads_to_a_page_which_is_not_there_fails() -> None:
    """The page that comes is part of the outcome."""

    def make(world: World) -> Functions:
        def go() -> None:
            leaving(world, "/nope")
            world.pending_events.append(PageEvent(PageEventKind.DEAD_END, "`/nope`: 404"))

        return {"go": go}

    report = await prove(manifest(tool("go", "", "", "await global.go();")), World(make))

    assert failed(report) == ["sample"]
    assert (
        "leads to a page that answers with an error: `/nope`: 404"
        in proof(report, "sample").message
    )


class Pages(FakePage):
    """Pages of which each has tools of its own."""

    all: Functions | None = None

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return those of the path."""
        there = {"/": ("go", "here"), "/next": ("further",)}[self.address]
        self.all = self.all or dict(self.functions)
        self.functions = {name: self.all[name] for name in there}
        return await super().offers(functions)


async def test_a_sequence_goes_on_with_the_tools_of_the_page_that_comes() -> None:
    """And returns to the pages of those that are left; nothing is said to be gone."""
    called: list[str] = []

    def make(world: World) -> Functions:
        def go() -> None:
            called.append("go")
            leaving(world, "/next")

        return {
            "go": go,
            "here": lambda: called.append("here"),
            "further": lambda: called.append("further"),
        }

    text = manifest(
        tool("go", "", "", "await global.go();", "effect: write"),
        tool("here", "", "", "await global.here();", "effect: write"),
        tool("further", "", "", "await global.further();", "effect: write; paths: /next"),
    )
    report = await prove(text, World(make, kind=Pages), permission=Permission(writes=True))

    assert report.ok
    assert called[-3:] == ["go", "further", "here"]
    assert report.sequences[0].message == "the sample codes, one after the other: 3 of 3 ran"


@pytest.mark.parametrize(("in_its_place", "faults"), [((), ["exists"]), (("logout",), [])])
async def test_a_tool_is_gone_only_if_nothing_comes_in_its_place(
    in_its_place: tuple[str, ...], faults: list[str]
) -> None:
    """A view that has other tools is another view."""

    class Switching(FakePage):
        used = False

        async def offers(self, functions: Collection[str]) -> Offers:
            names = in_its_place if self.used else ("take",)
            self.functions = dict.fromkeys(names, self.take)
            return await super().offers(functions)

        def take(self, number: int) -> int:
            self.used, self.functions = True, {}
            return number

    text = manifest(
        tool("take", "- `number` (number, required)", "number", "await global.take(1);"),
        tool("logout", "", "", "", "effect: write"),
    )
    report = await prove(text, World(application, kind=Switching))

    assert failed(report, "take") == faults


def test_credentials_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole values only; they are used on this machine only."""
    monkeypatch.setenv("SHOP_PIN", "47110815")
    section = LoginTool(tool="login", arguments={"name": "Ada", "pin": "$SHOP_PIN", "at": "a $b"})
    found = login_of(section, Path(), "shop")

    assert found is not None
    assert found.arguments == {"name": "Ada", "pin": "47110815", "at": "a $b"}
    assert login_of(section, Path(), "http://localhost:5173") is not None
    assert login_of(section, Path(), "https://shop.example") is None
    monkeypatch.delenv("SHOP_PIN")
    with pytest.raises(UsageError, match="the variable `SHOP_PIN` is not set"):
        login_of(section, Path(), "shop")


@pytest.mark.parametrize("text", ["[]", "{}", "no", None])
def test_a_saved_state_has_to_be_one(tmp_path: Path, text: str | None) -> None:
    """The message has the way to save one."""
    if text is not None:
        (tmp_path / "state.json").write_text(text)
    with pytest.raises(UsageError, match="storage"):
        login_of("state.json", tmp_path, "https://shop.example")
    (tmp_path / "good.json").write_text('{"cookies": [], "origins": []}')
    found = login_of("good.json", tmp_path, "https://shop.example")

    assert found == Login(storage_state={"cookies": [], "origins": []})


def test_a_session_signs_in_at_its_origin_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its values are in no text about the login."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    item = {"name": "token", "value": "0123456789abcdef"}
    SavedSession("shop", "https://shop.example", 0, [], [item]).write()
    found = login_of(LoginSession(session="shop"), Path(), "https://shop.example/orders")

    assert found is not None
    assert found.storage_state is not None
    assert found.storage_state["origins"][0]["localStorage"] == [item]
    assert item["value"] not in repr(found)
    with pytest.raises(UsageError, match="sent to no other site"):
        login_of(LoginSession(session="shop"), Path(), "https://other.example/")
