"""A goal with a secret in it, from end to end: the secret is used, and is nowhere to be read."""

import json
import logging
from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, Stage, answers, call, finish, shown, tool

from webagent.agent import Answer, Driver, Policy
from webagent.agent.storage import MemoryStore
from webagent.llm.scripted import ScriptedModel
from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent.types import Behavior, Manifest, Param, Tool

PLAN = call("make_plan", plan="I will sign in\n- `signIn`")
WRITES = Behavior(effect="write")
MANIFEST = Manifest(
    tools=[
        Tool(
            name="signIn",
            description="Sign in with email and password.",
            params=[Param(name="email"), Param(name="password")],
            behavior=WRITES,
        ),
        Tool(
            name="verify",
            description="Verify with the code that was sent.",
            params=[Param(name="code")],
            behavior=WRITES,
        ),
        Tool(
            name="unlock",
            description="Unlock the safe with its PIN.",
            params=[Param(name="pin", type="number")],
            behavior=WRITES,
        ),
    ]
)


class World:
    """A site whose tools repeat their arguments, and everything that leaves the agent.

    Attributes:
        called: What the tools were really called with.
        kept: Every text that was stored.
    """

    def __init__(self) -> None:
        self.called: list[Any] = []
        self.events: list[dict[str, Any]] = []
        self.kept: list[str] = []
        self.page = FakePage(
            {
                "signIn": lambda email, password: self._do(email, password),
                "verify": lambda code: self._do(code),
                "unlock": lambda pin: self._do(pin),
            },
            snapshot=shown("Sign in"),
            acts={"form_details": lambda action: []},
        )
        self.registry = ToolRegistry(self.page, on_call=self.events.append)
        self.store = self._Store(self.kept)

    class _Store(MemoryStore):
        def __init__(self, kept: list[str]) -> None:
            super().__init__()
            self._kept = kept

        async def save(self, text: str) -> None:
            self._kept.append(text)
            await super().save(text)

    def _do(self, *given: Any) -> dict[str, Any]:
        self.called.append(given)
        said = f"you wrote {', '.join(map(str, given))}!"
        self.page.shown = shown(said, revision=self.page.shown.revision + 1)
        return {"said": said, "given": [*given], str(given[-1]): True}

    async def driver(self, model: ScriptedModel | None, **options: Any) -> Driver:
        await self.registry.bind(MANIFEST)
        given: dict[str, Any] = {
            "store": self.store,
            "on_event": self.events.append,
            "policy": Policy(allow_writes=True),
            "accept": "caller",
        }
        return Driver(self.page, self.registry, model=model, **(given | options))


CASES = [
    ("sign in as ada@shop.example with password ropewalk14", ["ropewalk14"]),
    ("sign in as ada@shop.example, my password is x", ["x"]),
    ("sign in as ada@shop.example with the password monkey", ["monkey"]),
    ("sign in as ada@shop.example, Passwort Seilbahn14", ["Seilbahn14"]),
    ("sign in with ada@shop.example, contraseña: corde14", ["corde14"]),
    (
        "sign in as ada@shop.example with password ropewalk14 and verify with the code 123456",
        ["ropewalk14", "123456"],
    ),
]


def holds(where: Any, secret: str) -> bool:
    """Whether data hold a secret as a word of its own."""
    text = where if isinstance(where, str) else json.dumps(where, default=str, ensure_ascii=False)
    padded = "".join(char if char.isalnum() else " " for char in text)
    return f" {secret} " in f" {padded} " if len(secret) < 6 else secret in text


@pytest.mark.parametrize(("goal", "secrets"), CASES)
@pytest.mark.parametrize("modelled", [True, False])
async def test_a_secret_of_the_goal_is_nowhere(
    goal: str, secrets: list[str], modelled: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Tools get the secrets; messages, events, the store, the result and the transcript do not."""
    caplog.set_level(logging.DEBUG)
    world = World()
    calls: list[Any] = [tool("signIn", email="ada@shop.example", password="•••")]
    if len(secrets) > 1:
        calls.append(tool("verify", code="•••2"))
    model = ScriptedModel(PLAN, *calls, finish(f"done with {secrets[0]}")) if modelled else None
    driver = await world.driver(model)

    result = await driver.run(goal)

    assert result.ok, result.text
    assert world.called == [("ada@shop.example", secrets[0]), *((one,) for one in secrets[1:])]
    transcript = driver.transcript()
    assert transcript is not None
    shown_everywhere = {
        "messages": [[m.text, [c.to_dict() for c in m.calls]] for c in (model.conversations if model else []) for m in c],
        "events": world.events,
        "stored": world.kept,
        "transcript": [transcript.to_dict(), transcript.to_markdown()],
        "log": caplog.text,
        "plan": result.run.plan and result.run.plan.to_dict(),
        "goal": result.run.goal,
        "calls": [c.arguments for c in result.calls],
        "result": world.registry.secrets.mask_record(result.to_dict()),
    }  # fmt: skip
    assert world.kept
    assert world.events
    for place, data in shown_everywhere.items():
        for secret in secrets:
            assert not holds(data, secret), (place, secret)


async def test_a_number_that_is_a_secret_is_nowhere() -> None:
    """A PIN that a tool takes as a number is passed as one, and its echo is masked."""
    world = World()
    plan = call("make_plan", plan="I will unlock it\n- `unlock`")
    model = ScriptedModel(plan, tool("unlock", pin="•••"), finish())

    result = await (await world.driver(model)).run("unlock the safe with PIN 4711")

    assert result.ok
    assert world.called == [(4711,)]
    for data in ([m.text for c in model.conversations for m in c], world.events, world.kept):
        assert not holds(data, "4711")


async def test_programs_get_the_secret_too(stage: Stage) -> None:
    """A program writes the placeholder, and the tool that it calls gets the secret."""

    async def program(code: str, call: Any) -> Any:
        return await call("login", ["•••"])

    stage = await Stage(program=program).opened()
    driver = stage.driver(call("execute_js", code="login('•••')"), finish())

    result = await driver.run("log in with password ropewalk14")

    assert stage.called == [("login", "ropewalk14")]
    assert not holds(stage.events, "ropewalk14")
    assert not holds(stage.store.text or "", "ropewalk14")
    assert result.ok


async def test_secrets_in_answers_are_taken_too(stage: Stage) -> None:
    """A secret in an answer to any question, or in the reason for a no, is not passed on."""
    person = answers(
        Answer(True, "blue, and my password is ropewalk14"),
        Answer(False, "use PIN 4711 instead"),
    )
    driver = stage.driver(
        call("communicate", summary="", question="Which colour?"),
        tool("addToBasket", bookId="b"),
        finish(),
        person=person,
    )

    result = await driver.run("go")

    assert result.run.done()[0].value == {"answer": "blue, and my password is •••"}
    assert "said: use PIN •••2 instead" in str(result.run.done()[1].error)
    for data in (stage.events, stage.store.text, result.run.to_dict()):
        assert not holds(data, "ropewalk14")
        assert not holds(data, "4711")


async def test_a_card_shows_no_secret() -> None:
    """The person is asked about a call with the placeholder, and where it is from."""
    world = World()
    person = answers(Answer(True))
    model = ScriptedModel(PLAN, tool("signIn", email="a@b.c", password="•••"), finish())
    driver = await world.driver(model, policy=Policy(), person=person)

    await driver.run("sign in as a@b.c with password ropewalk14")

    details = person.asked[0].details
    assert details["arguments"] == {"email": "a@b.c", "password": "•••"}
    assert details["origins"]["password"] == {"from": "goal"}
    assert world.called == [("a@b.c", "ropewalk14")]


async def test_an_error_that_repeats_a_secret_is_masked(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """An error of a page, and one of an action, is written without the secret."""

    def refuse(password: str) -> None:
        raise ValueError(f"{password} is wrong")

    stage.page.functions["login"] = refuse
    driver = stage.driver(tool("login", password="•••"), finish("no", False))

    result = await driver.run("log in with password ropewalk14")

    assert not result.ok
    assert not holds(stage.events, "ropewalk14")
    assert not holds(caplog.text, "ropewalk14")


async def test_the_next_page_asks_for_the_secret_again(stage: Stage) -> None:
    """The store has no secret, so a run that goes on after a navigation asks the person."""
    kept: list[str] = []

    def keep(run: Any, scene: Any) -> Any:
        kept.append(stage.store.text or "")
        return finish()

    await stage.driver(tool("search", query="x"), keep).run("log in with password ropewalk14")
    assert not holds(kept, "ropewalk14")

    # Another document: another registry, another vault, the same store.
    later = await Stage().opened()
    later.store.text = kept[0]
    person = answers(Answer(True, "ropewalk14"))
    driver = later.driver(tool("login", password="•••"), finish(), person=person)
    result = await driver.resume()

    assert result is not None
    assert result.run.goal == "log in with password •••"
    assert later.called == [("login", "ropewalk14")]
    assert [request.kind for request in person.asked] == ["question"]
    assert person.asked[0].details["secret"] is True
    assert not holds(later.events, "ropewalk14")
    assert result.run.origin == ORIGIN
